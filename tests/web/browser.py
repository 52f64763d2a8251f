"""Phones as real browsers: Debian's chromium, driven by Playwright without its own browsers.

Nothing outside this machine is contacted. Any complaint about a page fails the test: a script error, a line on the
console, a violation of its Content-Security-Policy, or a request to another host.

Firefox is in browser_firefox.py, because Playwright only supports its own build of Firefox, not Debian's.
"""

import json
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

PHONE, LANDSCAPE_PHONE, TABLET, SCREEN = (360, 640), (640, 360), (768, 1024), (1920, 1080)
"""Sizes of a small phone, the same phone in landscape, a tablet, and a large screen on a wall."""

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


def find_overflowing_elements(page):
    """List elements that stick out on the right, which would make the page scroll sideways."""
    return page.evaluate(
        """() => [...document.body.querySelectorAll("*")]
          .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
          .map((each) => each.outerHTML.slice(0, 100))"""
    )


def find_small_buttons(page, least=44):
    """List buttons and fields that are too small for a thumb: less than `least` pixels wide or high."""
    found = page.evaluate(
        """(least) => [...document.querySelectorAll("button, select, [role=button], input, summary")]
          .map((each) => [each.outerHTML.slice(0, 100), each.getBoundingClientRect()])
          .filter(([_, box]) => box.width && (box.width < least || box.height < least))
          .map(([html, box]) => [html, box.width, box.height])""",
        least,
    )
    return [json.dumps(each) for each in found]


CUT_TEXTS = """() => {
  const found = [];
  const isSeen = (each) => each.checkVisibility() && each.clientWidth > 1;
  const pen = document.createElement("canvas").getContext("2d");
  for (const field of [...document.querySelectorAll("select")].filter(isSeen)) {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    pen.font = font;
    const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) + 1;
    for (const { text } of field.options) if (pen.measureText(text).width > room) found.push(`${field.id}: ${text}`);
  }
  const texts = document.querySelectorAll("header *, main *, .sheet *, #notices *, #connection");
  const hasText = (each) => [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  for (const each of [...texts].filter(isSeen)) {
    if (each.closest("svg, select, input, .name, .who")) continue;  // names may be shortened
    if (!hasText(each) && each.tagName !== "BUTTON") continue;
    if (each.scrollWidth > each.clientWidth + 1) found.push(`${each.id || each.className || each.tagName}: ${each.innerText}`);
  }
  return found;
}"""


def find_cut_texts(page):
    """List texts that are wider than their element."""
    return page.evaluate(CUT_TEXTS)


COVERED_ELEMENTS = """() => {
  scrollTo(0, 0);
  const found = [];
  const boxOf = (each) => each.getBoundingClientRect();
  const isSeen = (each) => each.checkVisibility();
  const byId = (id) => document.getElementById(id);
  const bars = [byId("play-buttons"), byId("replay")].filter((each) => isSeen(each) && getComputedStyle(each).position === "fixed");
  const edge = Math.min(innerHeight, ...bars.map((each) => boxOf(each).top));
  const places = "#play-buttons, #offer, #exercise, #resume-buttons, #game-buttons, .banner";
  for (const each of document.querySelectorAll(places.replaceAll(/[^,]+/g, "$& button"))) {
    if (!isSeen(each) || bars.some((bar) => bar.contains(each))) continue;
    const { top, bottom } = boxOf(each);
    if (bars.length && top < edge && bottom > edge + 0.5) found.push(`half under the bar: ${each.innerText}`);
    if (each.closest("#offer") && bottom > edge + 0.5) found.push(`below the screen: ${each.innerText}`);
  }
  const message = byId("message");
  const isQuiet = message.parentElement.classList.contains("quiet");  // it is only for screen readers
  const isBelow = message.innerText && boxOf(message).top + 36 > edge;
  if (isSeen(message) && !isQuiet && isBelow) found.push(`below the screen: ${message.innerText}`);
  const running = byId("past-running");
  if (isSeen(running) && boxOf(running).bottom > edge + 0.5) found.push(`below the screen: ${running.innerText}`);
  const notices = byId("notices");
  if (isSeen(notices)) {
    const { top, bottom } = boxOf(notices);
    if (top < boxOf(byId("turn")).bottom) found.push(`over the headline: ${notices.innerText}`);
    if (bottom > edge) found.push(`over the bar: ${notices.innerText}`);
  }
  return found;
}"""


def find_covered_elements(page):
    """List buttons, messages and notices that overlap the bar or the headline, or are below the screen."""
    return page.evaluate(COVERED_ELEMENTS)
