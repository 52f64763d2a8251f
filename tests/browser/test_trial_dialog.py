"""Dialog of the set-up trial in a browser. The trial runs in this process, in simulated time."""

import json
import re
from contextlib import ExitStack, closing
from random import Random

import pytest

from pond_hw.browser.setup_trial import BOARD_NAME, FINDING_KINDS, SetupTrial
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, LANGUAGES
from tests.clock import Clock
from tests.conftest import require

require("starlette", "it serves the page")
require("playwright", "it drives the browser")

from pond_hw.web.page_files import list_words  # noqa: E402
from tests.browser.unbuilt_page import ADDRESS, SITE, make_html, open_html  # noqa: E402
from tests.web.browser import PHONE, SCREEN, TABLET, Phone, find_barriers  # noqa: E402
from tests.web.page_layout import find_cut_texts, find_overflowing_elements, find_small_buttons  # noqa: E402

pytestmark = pytest.mark.slow

FRAME_SECONDS = 1 / 30

MAIN = """
import { startPage } from "./page.js";
import { SetupTrial } from "./trial.js";

class Live {
  constructor(receive) { globalThis.receive = receive; }
  connect() {}
  send(message) { if (message.trial) globalThis.hear(JSON.stringify(message.trial)); return true; }
}

startPage({ Live, addParts: ({ send }) => [new SetupTrial(send)], readBeginning: () => [] });
"""


class TrialPhone:
    """Phone whose page has a set-up trial."""

    def __init__(self, browser, html, *size, language="en", **how):
        self.clock, self.messages, self.requests = Clock(), [], []
        self.trial = SetupTrial(self.messages.append, self.clock.now, language, Random(1))
        self.phone = Phone(browser, ADDRESS, *size, locale=language, **how)
        self.page = self.phone.page
        open_html(self.phone, html, language, self._hear)
        self.page.click("#open-settings")
        self.page.click("#settings [data-word='page.trial.open']")

    def _hear(self, text):
        self.requests.append(json.loads(text))
        self.trial.hear(self.requests[-1])

    def close(self):
        self.trial.close()
        self.phone.close()

    def wait(self, seconds=0.2):
        for _ in range(round(seconds / FRAME_SECONDS)):
            self.clock.sleep(FRAME_SECONDS)
            self.trial.step()
        if self.messages:
            self.page.evaluate("(messages) => messages.forEach(receive)", json.loads(json.dumps(self.messages)))
            self.messages.clear()

    def find(self, name):
        return self.page.get_by_role("button", name=re.compile(name))

    @property
    def instructions(self):
        return self.page.inner_text("#trial-asks")

    @property
    def lit(self):
        """Name of the lit cell, or None."""
        names = self.page.locator("#trial-board button").evaluate_all("(all) => all.map((each) => each.ariaLabel)")
        return next((name[:2] for name in names if name.endswith(", lit")), None)

    @property
    def result(self):
        return self.page.inner_text("#trial-result") if self.page.is_visible("#trial-result") else ""

    def play(self, touch):
        """Touch the lit cells until the result is visible. Return it."""
        touches = 0
        while not self.result:
            assert self.clock.now() < 200
            touches = touches + 1 if self.lit else 0
            if touches > 4:
                self.page.keyboard.press("x")
                touches = 0
            elif self.lit:
                touch(self.lit)
            self.wait()
        return self.result

    def list_problems(self):
        page = self.page
        looks = find_overflowing_elements(page) + find_small_buttons(page) + find_cut_texts(page)
        return find_barriers(page) + looks


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    files = (*SITE.glob("*.js"), SITE / "trial.css", SITE / "trial.html")
    return make_html(tmp_path_factory.mktemp("site"), MAIN, files)


@pytest.fixture
def open_trial(browser, html):
    """Function that opens the dialog on a phone."""
    with ExitStack() as phones:
        yield lambda *size, **how: phones.enter_context(closing(TrialPhone(browser, html, *size, **how)))


def test_dead_sensor_is_found_by_touch(open_trial):
    phone = open_trial(PHONE)
    assert phone.instructions == "Choose the cell whose sensor you want to break."
    phone.find("^a3").tap()
    assert phone.instructions == "What is wrong with the sensor of a3?"
    phone.find("never responds").tap()
    phone.wait()
    assert phone.instructions == "Take your hands off the board for 3 s."
    phone.wait(3.2)
    assert phone.instructions == "a3 is lit. Press and release it 3 times."
    assert phone.lit == "a3"
    for _ in range(3):
        phone.find("^a3").tap()
        phone.wait()
    for _ in range(2):
        phone.find("nothing happens").tap()
        phone.wait(0.5)
    phone.wait(3.2)
    for line in ("Pond found the fault", "Its wire is loose", "check the wire", "the sensor of a3 never responds."):
        assert line in phone.result
    assert phone.page.get_attribute("#trial-board .fault", "aria-label") == "a3, faulty"
    phone.find("another").tap()
    assert phone.instructions == "Choose the cell whose sensor you want to break."
    assert not phone.page.locator("#trial-board .fault").count()


def test_trial_is_played_by_keyboard_alone(open_trial):
    phone = open_trial(SCREEN, touch=False)
    keyboard = phone.page.keyboard

    def press(*keys):
        for key in keys:
            keyboard.press(key)

    def touch(cell):
        focused = phone.page.evaluate("document.activeElement.innerText")
        press(*["ArrowLeft"] * 3, *["ArrowDown"] * 3)
        press(*["ArrowRight"] * "abcd".index(cell[0]), *["ArrowUp"] * (int(cell[1]) - 1))
        assert len(focused) == 2, "the focus is not on the board"
        keyboard.down("Enter")
        phone.wait()
        keyboard.up("Enter")

    press("Tab", "Tab", "ArrowDown", "Space", "Tab")
    assert phone.instructions == "What is wrong with the sensor of a3?"
    press("Enter")
    phone.wait()
    assert phone.requests == [{"start": {"fault": "never", "cell": "a3"}}]
    assert "a3 never responds" in phone.play(touch)
    assert phone.page.evaluate("document.activeElement.id") == "trial-verdict"
    press("Escape")
    assert not phone.page.is_visible("#trial")
    assert phone.page.evaluate("document.activeElement.id") == "open-settings"


def test_surprise_is_found_by_mouse(open_trial):
    phone = open_trial(TABLET, touch=False)
    phone.find("Surprise me").click()

    def touch(cell):
        phone.find(f"^{cell}").hover()
        phone.page.mouse.down()
        phone.wait()
        phone.page.mouse.up()

    assert "Pond found the fault" in phone.play(touch)
    assert phone.requests[0] == {"start": "surprise"}


def test_closing_stops_the_trial(open_trial):
    phone = open_trial(PHONE)
    phone.find("^b2").tap()
    phone.find("always on").tap()
    phone.wait()
    phone.find("Close").tap()
    assert phone.requests[-1] == {"stop": True}
    phone.wait()
    assert not phone.page.is_visible("#trial")


def test_every_fault_can_be_chosen(open_trial):
    phone = open_trial(PHONE)
    offered = phone.page.locator("[data-fault]").evaluate_all("(all) => all.map((each) => each.dataset.fault)")
    assert offered == [*FINDING_KINDS]
    words = list_words("en", own=True)
    for fault in FINDING_KINDS:
        assert f"page.trial.broken.{fault.replace('-', '_')}" in words
    assert BOARD_NAME.endswith("4x4"), "trial.js draws a board of this size"


@pytest.mark.parametrize("size", [PHONE, TABLET, SCREEN])
@pytest.mark.parametrize("language", LANGUAGES)
def test_dialog_is_usable_in_each_language(open_trial, language, size):
    phone = open_trial(size, language=language, color_scheme="dark" if size == TABLET else "light")
    title = list_words(language, own=True)["page.trial.title"]
    assert (phone.page.get_attribute("html", "lang"), phone.page.inner_text("#trial-title")) == (language, title)
    phone.find("^d1").click()
    assert phone.list_problems() == []
    phone.page.click("[data-fault=stuck-on]")
    phone.wait(1.0)
    assert phone.list_problems() == []
    shown = language if language in BUILDER_LANGUAGES else "en"
    assert phone.page.get_attribute("#trial-asks", "lang") == shown
    phone.wait(10.0)
    assert phone.result
    assert phone.list_problems() == []
    assert phone.page.get_attribute("#trial-findings", "lang") == shown
