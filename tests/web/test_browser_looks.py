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
from pond_hw.web.asgi_app import REQUESTS_PER_SECOND  # noqa: E402
from tests.web.browser import (  # noqa: E402
    PHONE,
    SCREEN,
    SIDEWAYS,
    TABLET,
    find_barriers,
    find_cut_texts,
    find_hidden_things,
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

TRANSLATED = {"first", "seated", "chosen", "old", "over", "unfinished", "large", "exercise"}
"""The screens that have a picture in every language: those with the most words for their room."""

ON_ITS_SIDE = {"first", "chosen", "what-if", "unfinished"}
"""The screens that have a picture on a phone that lies on its side."""

DIALOGS = ("open-rules", "open-games", "open-settings", "do-new", "open-exercises", "do-resign")
"""The buttons that open something over the page."""

TRANSLATED_DIALOGS = {"open-settings", "do-new"}
"""Those that open a dialog which has a picture in every language."""

CHOOSE = """(field, language) => {
  field.value = language;
  field.dispatchEvent(new Event("change"));
}"""


NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(params=WALKS, ids=lambda walk: walk.__name__)
def screens(request, lay_table, open_phone, folder):
    """One of the walks: the name of each screen, the page that shows it, and the place in it that matters."""

    def go():
        walk = Walk(lay_table, open_phone, folder)
        for name in request.param(walk):
            yield name, walk.page, walk.place

    return go()


def test_every_screen_is_without_barriers_fits_and_looks_like_its_picture(screens):
    """axe finds nothing, in bright colours and in dim ones; nothing sticks out, is cut or covered; no button is too small."""
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
        found += list_faults_in_every_language(name, page, place)
    found = list(filter(None, found))
    assert not found, "\n".join(found)


def list_faults_in_every_language(name, page, place):
    """Return what does not fit on each kind of screen, and how translated screens differ from their pictures."""
    for language in LANGUAGES:
        choose_language(page, language)
        for size in (SIDEWAYS, TABLET, SCREEN, PHONE):
            resize(page, size)
            where = f"{name}, {language}, {size}"
            yield from (f"{where}: cut: {text}" for text in find_cut_texts(page))
            yield from (f"{where}: {thing}" for thing in find_hidden_things(page))
            if size == SIDEWAYS and language == "en" and name in ON_ITS_SIDE:
                yield find_difference(page, name, place)
        if language != "en" and name in TRANSLATED:
            yield find_difference(page, f"{name}-{language}", place)
    choose_language(page, "en")


def choose_language(page, language):
    """Choose a language; the board's own sentences follow a moment later."""
    if page.locator("html").get_attribute("lang") == language:
        return
    page.locator("#language").evaluate(CHOOSE, language)
    page.wait_for_function("(language) => document.documentElement.lang === language", arg=language)
    page.wait_for_timeout(1000 / REQUESTS_PER_SECOND)


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


def test_every_dialog_fits_in_every_language_and_looks_like_its_picture(lay_table, open_phone, folder):
    table = lay_table("--journal", folder / "games")
    page = Player(open_phone(table), table).sits_down().page
    with table.call() as program:
        program.says({"command": "action", "action": "@b2"})  # whoever resigns has something to lose
    dialog, found = page.get_by_role("dialog"), []
    for language in LANGUAGES:
        choose_language(page, language)
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
                found += [f"{language}, {opener}, {size}: cut: {text}" for text in find_cut_texts(page)]
            if language != "en" and opener in TRANSLATED_DIALOGS:
                found.append(find_difference(page, f"{opener}-{language}"))
            dialog.focus()  # who takes a picture takes the focus away
            page.keyboard.press("Escape")
            dialog.wait_for(state="hidden")
            page.wait_for_timeout(1000 * 2 / REQUESTS_PER_SECOND)  # who says too much is not heard
    found = list(filter(None, found))
    assert not found, "\n".join(found)


def resize(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(NEXT_FRAME)  # by then the page has heard of it
    stand_still(page)
