"""Real browsers play the phones: Debian's chromium, driven by Playwright, which brings a driver but no browser here.

Nothing outside this machine is ever asked for anything. Whatever a page complains of fails the test: an error in a
script, a line on the console, something that the page's Content-Security-Policy forbids, a request to anybody else.

Firefox is in browser_firefox.py: Playwright knows only a Firefox of its own making, which is not Debian's.
"""

import json
import shutil
import subprocess
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

from tests.conftest import lacks, need

PATIENCE = 15.0
"""Seconds for what takes a moment on a machine that is busy."""

HOME = "127.0.0.1"
"""The only machine that a page may ask for anything."""

OPTIONS = [
    "--no-sandbox",  # CI is root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOME}",  # all the world but this machine is out of reach
]

PHONE, SIDEWAYS, TABLET, SCREEN = (360, 640), (640, 360), (768, 1024), (1920, 1080)
"""A small phone, the same on its side, a tablet, and the screen on the wall of a café."""

LOST = ("WebSocket connection to", "net::ERR_CONNECTION_REFUSED", "net::ERR_CONNECTION_RESET")
"""How the console says that the machine of the page is not there."""

TELL_OF_FORBIDDEN = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`forbidden: ${event.effectiveDirective} ${event.blockedURI}`));
"""

STILL = """(letters) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`*, *::before, *::after {
    font-family: ${letters} !important; caret-color: transparent !important;
    animation: none !important; transition: none !important;
  }
  #version { visibility: hidden !important; }`);
  document.adoptedStyleSheets = [sheet];
  dispatchEvent(new Event("resize"));  // other letters take other room
}"""

LETTERS = "Liberation Sans"
"""By whose letters all pictures are compared; Debian has them in fonts-liberation."""


@contextmanager
def open_browser():
    """A browser, as long as the context lasts; afterwards none of its processes is left."""
    need("playwright", "it drives the browser")
    need("chromium", "it plays the phones")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


class Phone:
    """Somebody's phone, or another screen: a browser that shares nothing with the others.

    Args:
        browser: what it runs in.
        address: the address of the page, such as http://127.0.0.1:7663/.
        size: its screen.
        touch: whether it is touched; otherwise it has a mouse and keys.
        loses: whether it may be told that the page's machine is not there.
        script: what runs in the page before its own scripts.
        retell: a function of the text of a message to the page, which gives what the page is told instead.
        more: for the browser's context: `locale`, `color_scheme`, `reduced_motion` and so on.
    """

    def __init__(self, browser, address, size=PHONE, *, touch=True, loses=False, script="", retell=None, **more):
        self.address, self.loses, self.complaints = address, loses, []
        width, height = size
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=touch,
            is_mobile=touch,
            **{"locale": "en", "color_scheme": "light", "reduced_motion": "reduce", **more},
        )
        self.context.set_default_timeout(1000 * PATIENCE)
        self.context.add_init_script(TELL_OF_FORBIDDEN + script)
        self.context.on("request", lambda request: self._asks(request.url))
        self.page = self.context.new_page()
        self.page.on("websocket", lambda opened: self._asks(opened.url))
        self.page.on("pageerror", lambda error: self.complaints.append(f"a script failed: {error}"))
        self.page.on("console", self._says)
        if retell:
            self.page.route_web_socket("**/live", lambda phone: self._retell(phone, retell))

    @staticmethod
    def _retell(phone, retell):
        server = phone.connect_to_server()
        server.on_message(lambda text: phone.send(retell(text)))

    def _asks(self, url):
        if urlsplit(url).netloc != urlsplit(self.address).netloc and urlsplit(url).scheme not in ("data", "blob"):
            self.complaints.append(f"asks somebody else: {url}")

    def _says(self, line):
        if line.type in ("error", "warning") and not (self.loses and any(sign in line.text for sign in LOST)):
            self.complaints.append(f"{line.type}: {line.text}")

    def open(self):
        """Opens the page."""
        self.page.goto(self.address)
        return self

    def close(self):
        """The phone goes; nothing may have been wrong with it."""
        self.context.close()
        assert not self.complaints, "\n".join(self.complaints)

    def heard(self, kinds=("alert", "status", "log")):
        """What a screen reader would say by itself now: the texts of all live regions."""
        regions = self.page.locator(", ".join([*(f"[role={kind}]" for kind in kinds), "[aria-live]"]))
        return [text for text in regions.all_inner_texts() if text.strip()]


def stand_still(page, letters=LETTERS):
    """Nothing moves any more, and letters are the same on every machine that has them."""
    page.evaluate(STILL, f'"{letters}"')
    page.evaluate("document.fonts.ready")


@cache
def _rules_of_axe():
    need("axe_playwright_python", "it holds the rules of axe")
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def find_barriers(page, *rules):
    """What axe finds on this page now by these rules or by all, one text for each fault: what is wrong, and where.

    The rules come from the debugger's side, so the page's own Content-Security-Policy stays as strict as it is.
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
def need_letters():
    """Pictures are compared only where there are the letters that they were made with."""
    need("fc-match", "it tells which letters there are")
    told = subprocess.run(["fc-match", LETTERS], capture_output=True, text=True, check=True).stdout
    if LETTERS not in told:
        lacks(f"needs the letters {LETTERS}: the pictures were made with them")


def find_wide_things(page):
    """What sticks out at the right of the screen, so that the page could be pushed sideways."""
    return page.evaluate(
        """() => [...document.body.querySelectorAll("*")]
          .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
          .map((each) => each.outerHTML.slice(0, 100))"""
    )


def find_small_buttons(page, least=44):
    """Buttons and fields that a thumb may miss: less than so many pixels wide or high."""
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
    """Texts that are wider than the room that they have."""
    return page.evaluate(CUT_TEXTS)


HIDDEN_THINGS = """() => {
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
  if (isSeen(message) && message.innerText && boxOf(message).top + 36 > edge) found.push(`below the screen: ${message.innerText}`);
  const notices = byId("notices");
  if (isSeen(notices)) {
    const { top, bottom } = boxOf(notices);
    if (top < boxOf(byId("turn")).bottom) found.push(`over the headline: ${notices.innerText}`);
    if (bottom > edge) found.push(`over the bar: ${notices.innerText}`);
  }
  return found;
}"""


def find_hidden_things(page):
    """Find what should be in view and is not: buttons under the bar, the message, a notice in the way."""
    return page.evaluate(HIDDEN_THINGS)
