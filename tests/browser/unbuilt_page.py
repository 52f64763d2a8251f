"""The page of an own board without Python and without a web server. The test's own `main.js` connects it to this process."""

from pathlib import Path

from pond_hw import browser
from pond_hw.web.page_files import PageHtml

SITE = Path(browser.__file__).parent / "site"

ADDRESS = "http://127.0.0.1:9/"
"""Address of the page, which is answered without a request."""


def make_html(folder, main, files):
    """Return the page with this `main.js` and some files of the site, which are copied to a folder."""
    for file in files:
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "main.js").write_text(main, encoding="utf-8")
    return PageHtml(folder)


def open_html(phone, html, language, hear):
    """Open the page on a phone, under its Content-Security-Policy. `hear` is called with each message from the page."""
    policy = f"default-src 'none'; script-src {html.script_source}; style-src {html.style_source}; img-src 'self'"
    headers = {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": f"{policy}; manifest-src 'self'",
    }
    body = html.format(language, [], compress=False)
    phone.page.route("**/*", lambda route: route.fulfill(status=204))
    phone.page.route(ADDRESS, lambda route: route.fulfill(body=body, headers=headers))
    phone.page.expose_function("hear", hear)
    phone.open()
