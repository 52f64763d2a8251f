"""Phones as real browsers: Debian's chromium, driven by Playwright without its own browsers.

Nothing outside this machine is contacted. Any complaint about a page fails the test: a script error, a line on the
console, a violation of its Content-Security-Policy, or a request to another host.

Firefox is in browser_firefox.py, because Playwright only supports its own build of Firefox, not Debian's.
"""

import shutil
import subprocess
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

from tests.conftest import require, skip_outside_ci

PATIENCE = 15.0
"""Timeout in seconds for slow machines."""

LOCALHOST = "127.0.0.1"
"""The only host that a page may contact."""

OPTIONS = [
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {LOCALHOST}",  # no other host can be reached
]

PHONE, LANDSCAPE_PHONE, TABLET, SCREEN = SIZES = (360, 640), (640, 360), (768, 1024), (1920, 1080)
"""Sizes of a small phone, the same phone in landscape, a tablet, and a large screen on a wall."""

COLOURS = ("light", "dark")
"""Colour schemes of the page."""

CONNECTION_ERRORS = ("WebSocket connection to", "net::ERR_CONNECTION_REFUSED", "net::ERR_CONNECTION_RESET")
"""Console messages that are allowed while the page's server is unreachable."""

REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`forbidden: ${event.effectiveDirective} ${event.blockedURI}`));
"""

FREEZE = """(font) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`*, *::before, *::after {
    font-family: ${font} !important; caret-color: transparent !important;
    animation: none !important; transition: none !important;
  }
  #version { visibility: hidden !important; }`);
  document.adoptedStyleSheets = [sheet];
  dispatchEvent(new Event("resize"));  // the new font changes the layout
}"""

PICTURE_FONT = "Liberation Sans"
"""Font of all pictures. Debian has it in fonts-liberation."""


@contextmanager
def open_browser(*options):
    """Yield a browser, started with more options. At the end, close it with all its processes."""
    require("playwright", "it drives the browser")
    require("chromium", "it plays the phones")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*OPTIONS, *options])
        try:
            yield browser
        finally:
            browser.close()


class Phone:
    """A phone or another screen: a browser context that shares nothing with the others.

    Args:
        browser: the browser to run in.
        address: address of the page, such as http://127.0.0.1:7663/.
        size: size of the screen.
        touch: True for a touch screen; otherwise it has a mouse and a keyboard.
        may_lose_server: True if the page's server may be unreachable.
        script: script that runs before those of the page.
        change_message: function that changes the text of each message to the page.
        more: options of the browser context, such as `locale`, `color_scheme` and `reduced_motion`.
    """

    def __init__(
        self, browser, address, size=PHONE, *, touch=True, may_lose_server=False, script="", change_message=None, **more
    ):
        self.address, self.touch, self.may_lose_server, self.complaints = address, touch, may_lose_server, []
        width, height = size
        self.context = self.make_context(
            browser,
            viewport={"width": width, "height": height},
            has_touch=touch,
            is_mobile=touch,
            **{"locale": "en", "color_scheme": "light", "reduced_motion": "reduce", **more},
        )
        self.context.set_default_timeout(1000 * PATIENCE)
        self.context.add_init_script(REPORT_VIOLATIONS + script)
        self.context.on("request", lambda request: self._asks(request.url))
        self.page = self.add_page()
        if change_message:
            self.page.route_web_socket("**/live", lambda phone: self._change_messages(phone, change_message))

    def make_context(self, browser, **options):
        return browser.new_context(**options)

    def add_page(self):
        """Open another tab. Return its page."""
        page = self.context.new_page()
        page.on("websocket", lambda opened: self._asks(opened.url))
        page.on("pageerror", lambda error: self.complaints.append(f"a script failed: {error}"))
        page.on("console", self._says)
        return page

    @staticmethod
    def _change_messages(phone, change_message):
        server = phone.connect_to_server()
        server.on_message(lambda text: phone.send(change_message(text)))

    def _asks(self, url):
        if urlsplit(url).netloc != urlsplit(self.address).netloc and urlsplit(url).scheme not in ("data", "blob"):
            self.complaints.append(f"requests another host: {url}")

    def _says(self, line):
        if line.type in ("error", "warning") and not (
            self.may_lose_server and any(sign in line.text for sign in CONNECTION_ERRORS)
        ):
            self.complaints.append(f"{line.type}: {line.text}")

    def open(self):
        self.page.goto(self.address)
        return self

    def close(self):
        """Close the phone. Fail if there were any complaints about the page."""
        self.context.close()
        assert not self.complaints, "\n".join(self.complaints)

    def list_announcements(self, kinds=("alert", "status", "log")):
        """Return what a screen reader would announce now: the texts of all live regions."""
        regions = self.page.locator(", ".join([*(f"[role={kind}]" for kind in kinds), "[aria-live]"]))
        return [text for text in regions.all_inner_texts() if text.strip()]


def freeze_page(page, font=PICTURE_FONT):
    """Stop all animations and set the font of the pictures."""
    page.evaluate(FREEZE, f'"{font}"')
    page.evaluate("document.fonts.ready")


@cache
def _rules_of_axe():
    require("axe_playwright_python", "it holds the rules of axe")
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def find_barriers(page, *rules):
    """List what axe finds on the page, with the given rules or all of them: each problem and its element.

    The debugger injects the rules, so the page's Content-Security-Policy stays strict.
    """
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(_rules_of_axe())
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        f"{fault['id']}: {fault['help']} at {' '.join(map(str, node['target']))}\n  {node['html'][:200]}"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


@cache
def require_picture_font():
    """Skip the test unless the font of the pictures is installed."""
    require("fc-match", "it lists the installed fonts")
    fonts = subprocess.run(["fc-match", PICTURE_FONT], capture_output=True, text=True, check=True).stdout
    if PICTURE_FONT not in fonts:
        skip_outside_ci(f"needs the font {PICTURE_FONT}: the pictures were taken with it")
