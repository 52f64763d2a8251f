"""How every screen of the page looks and reads: on a phone, a tablet and the screen on the wall of a café."""

import re
from itertools import product

import pytest

from tests.conftest import need

need("playwright", "it drives the browser")
need("chromium", "it plays the phones")
need("starlette", "it serves the page")
need("websockets", "the page is told everything by a WebSocket")

from pond_hw.messages.catalogue import LANGUAGES, get_catalogue  # noqa: E402
from pond_hw.messages.message import Message  # noqa: E402
from pond_hw.web.site import REQUESTS_PER_SECOND  # noqa: E402
from tests.web.browser import (  # noqa: E402
    PHONE,
    SCREEN,
    TABLET,
    find_barriers,
    find_small_buttons,
    find_wide_things,
    stand_still,
)
from tests.web.browser_players import Player  # noqa: E402
from tests.web.browser_screens import WALKS, Walk  # noqa: E402
from tests.web.golden import find_difference  # noqa: E402

pytestmark = pytest.mark.slow

SMALLEST = (320, 568)
"""The smallest phone that anybody still has; also what is left of a larger one when everything is shown larger."""

DIM = {"first", "asking", "chosen", "what-if", "gone", "reviewed", "health", "new-game-taken"}
"""The screens that are also looked at in dim colours: together they show all that has a colour."""


DIALOGS = ("open-rules", "open-games", "open-settings", "do-new", "open-exercises", "do-resign")
"""The buttons that open something over the page."""

CHOOSE = """(field, language) => {
  field.value = language;
  field.dispatchEvent(new Event("change"));
}"""


@pytest.fixture(params=WALKS, ids=lambda walk: walk.__name__)
def screens(request, lay_table, open_phone, folder):
    """One of the walks: the name of each screen, the page that shows it, and the place in it that matters."""

    def go():
        walk = Walk(lay_table, open_phone, folder)
        for name in request.param(walk):
            yield name, walk.page, walk.place

    return go()


def test_every_screen_is_without_barriers_fits_a_small_phone_and_looks_like_its_picture(screens):
    """axe finds nothing, in bright colours and in dim ones; nothing sticks out, and no button is too small to be hit."""
    found = []
    for name, page, place in screens:
        found += [f"{name}: {barrier}" for barrier in find_barriers(page)]
        for size in (SMALLEST, PHONE):
            resize(page, size)
            found += [f"{name}, {size}: too wide: {thing}" for thing in find_wide_things(page)]
            found += [f"{name}, {size}: too small: {thing}" for thing in find_small_buttons(page)]
        for colours, look in list_looks(name):
            page.emulate_media(color_scheme=colours)
            if colours == "dark":
                found += [f"{look}: {barrier}" for barrier in find_barriers(page, "color-contrast")]
            found.append(find_difference(page, look, place))
        page.emulate_media(color_scheme="light")
    found = list(filter(None, found))
    assert not found, "\n".join(found)


@pytest.mark.long
def test_every_screen_looks_like_its_pictures_on_a_tablet_and_on_the_wall(screens):
    found = []
    for name, page, place in screens:
        for size, (colours, look) in product((TABLET, SCREEN), list_looks(name)):
            page.emulate_media(color_scheme=colours)
            resize(page, size)
            found.append(find_difference(page, look, place))
        page.emulate_media(color_scheme="light")
        resize(page, PHONE)
    found = list(filter(None, found))
    assert not found, "\n".join(found)


def list_looks(screen):
    """The colours in which a screen is looked at, and what it is called then."""
    return [("light", screen), *([("dark", f"{screen}-dim")] if screen in DIM else [])]


def test_every_phone_speaks_the_language_of_its_browser_and_the_words_fit(lay_table, open_phone):
    table, found = lay_table(), []
    for language in LANGUAGES:
        page = open_phone(table, locale=language).page
        page.get_by_role("gridcell").first.wait_for()
        assert page.locator("html").get_attribute("lang") == language
        whose_turn = get_catalogue(language).text(Message("prompt.buttons.place", side="light"))
        page.locator("#message", has_text=whose_turn).wait_for()
        text = page.locator("body").inner_text()
        assert not re.search(r"\bpage\.\w|\{\w+\}", text), text
        for size in (SMALLEST, PHONE, TABLET):
            resize(page, size)
            found += [f"{language}, {size}: too wide: {thing}" for thing in find_wide_things(page)]
            found += [f"{language}, {size}: too small: {thing}" for thing in find_small_buttons(page)]
    assert not found, "\n".join(found)


def test_the_words_of_every_dialog_fit_a_small_phone_in_every_language(lay_table, open_phone, folder):
    table = lay_table("--journal", folder / "games")
    page = Player(open_phone(table), table).sits_down().page
    with table.call() as program:
        program.says({"command": "action", "action": "@b2"})  # whoever resigns has something to lose
    dialog, found = page.get_by_role("dialog"), []
    for language in LANGUAGES:
        page.locator("#language").evaluate(CHOOSE, language)
        page.wait_for_function("(language) => document.documentElement.lang === language", arg=language)
        for opener in DIALOGS:
            page.locator(f"#{opener}").dispatch_event("click")
            dialog.wait_for()
            if opener == "open-settings":
                if language == "en":  # it stays open
                    page.locator("#open-health").dispatch_event("click")
                page.locator("#health-list li").first.wait_for()
            if opener == "open-exercises":
                page.locator("#exercise-list li").first.wait_for()
            for size in (SMALLEST, PHONE):
                resize(page, size)
                found += [f"{language}, {opener}, {size}: too wide: {thing}" for thing in find_wide_things(page)]
                found += [f"{language}, {opener}, {size}: too small: {thing}" for thing in find_small_buttons(page)]
            page.keyboard.press("Escape")
            dialog.wait_for(state="hidden")
            page.wait_for_timeout(1000 * 2 / REQUESTS_PER_SECOND)  # who says too much is not heard
    assert not found, "\n".join(found)


def resize(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    stand_still(page)
