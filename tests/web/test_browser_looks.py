"""Appearance and accessibility of every screen: on a phone, a tablet and a large screen on a wall."""

import re
from itertools import product

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the phones")
require("starlette", "it serves the page")
require("websockets", "the page gets its messages by a WebSocket")

from pond_hw.messages.catalogue import LANGUAGES, get_catalogue  # noqa: E402
from pond_hw.messages.message import Message  # noqa: E402
from pond_hw.web.asgi_app import REQUESTS_PER_SECOND  # noqa: E402
from tests.web.browser import LANDSCAPE_PHONE, PHONE, SCREEN, TABLET, find_barriers  # noqa: E402
from tests.web.browser_players import Player  # noqa: E402
from tests.web.browser_screens import WALKS, Walk, choose_language, resize  # noqa: E402
from tests.web.golden import find_difference  # noqa: E402
from tests.web.page_layout import (  # noqa: E402
    find_cut_texts,
    find_overflowing_elements,
    find_small_buttons,
    list_layout_faults,
)

pytestmark = pytest.mark.slow

SMALLEST = (320, 568)
"""Size of the smallest phone still in use. It also stands for a larger phone with a large font."""

DIM_SCREENS = {"first", "asking", "chosen", "what-if", "gone", "reviewed", "health", "new-game-taken"}
"""Screens that also have a picture in dim colours. Together, they show all colours."""

TRANSLATED_SCREENS = {"first", "seated", "chosen", "old", "over", "unfinished", "large", "exercise"}
"""Screens that have a picture in every language: those with the least room for their text."""

LANDSCAPE_SCREENS = {"first", "chosen", "what-if", "unfinished"}
"""Screens that also have a picture on a phone in landscape."""

DIALOGS = ("open-rules", "open-games", "open-settings", "do-new", "open-exercises", "do-resign")
"""Buttons that open a dialog."""

TRANSLATED_DIALOGS = {"open-settings", "do-new"}
"""Buttons whose dialog has a picture in every language."""


@pytest.fixture(params=WALKS, ids=lambda walk: walk.__name__)
def screens(request, serve_table, open_phone, folder):
    """Yield the screens of one walk: the name, and the walk."""

    def go():
        walk = Walk(serve_table, open_phone, folder)
        for name in request.param(walk):
            yield name, walk

    return go()


def test_every_screen_is_accessible_and_matches_its_picture(screens):
    """axe finds nothing in bright or dim colours, nothing is cut off, covered or out of reach, and no button is too small."""
    found = []
    for name, walk in screens:
        page = walk.page
        found += [f"{name}: {barrier}" for barrier in find_barriers(page)]
        resize(page, SMALLEST)
        found += [f"{name}, {SMALLEST}: too wide: {thing}" for thing in find_overflowing_elements(page)]
        found += [f"{name}, {SMALLEST}: too small: {thing}" for thing in find_small_buttons(page)]
        resize(page, PHONE)
        for colours, look in list_looks(name):
            page.emulate_media(color_scheme=colours)
            found.append(find_difference(page, look, walk.place))
        page.emulate_media(color_scheme="dark")
        found += [f"{name}, dark: {barrier}" for barrier in find_barriers(page, "color-contrast")]
        page.emulate_media(color_scheme="light")
        found += list_faults_in_every_language(name, walk)
    found = list(filter(None, found))
    assert not found, "\n".join(found)


def list_faults_in_every_language(name, walk):
    """Yield the faults of the layout on each size of screen, and the differences of translated screens."""
    page, place = walk.page, walk.place
    for language in LANGUAGES:
        choose_language(page, language, walk.opener)
        for size in (LANDSCAPE_PHONE, TABLET, SCREEN, PHONE):
            resize(page, size)
            yield from (f"{name}, {language}, {size}: {fault}" for fault in list_layout_faults(page))
            if size == LANDSCAPE_PHONE and language == "en" and name in LANDSCAPE_SCREENS:
                yield find_difference(page, name, place)
        if language != "en" and name in TRANSLATED_SCREENS:
            yield find_difference(page, f"{name}-{language}", place)
    choose_language(page, "en", walk.opener)


@pytest.mark.long
def test_every_screen_matches_its_picture_on_large_displays(screens):
    found = []
    for name, walk in screens:
        for size, (colours, look) in product((TABLET, SCREEN), list_looks(name)):
            walk.page.emulate_media(color_scheme=colours)
            resize(walk.page, size)
            found.append(find_difference(walk.page, look, walk.place))
        walk.page.emulate_media(color_scheme="light")
        resize(walk.page, PHONE)
    found = list(filter(None, found))
    assert not found, "\n".join(found)


def list_looks(screen):
    """Return the colour schemes for a screen, each with the name of its picture."""
    return [("light", screen), *([("dark", f"{screen}-dim")] if screen in DIM_SCREENS else [])]


def test_page_fits_in_every_browser_language(serve_table, open_phone):
    table, found = serve_table(), []
    for language in LANGUAGES:
        page = open_phone(table, locale=language).page
        page.get_by_role("gridcell").first.wait_for()
        assert page.locator("html").get_attribute("lang") == language
        whose_turn = get_catalogue(language, "phone").text(Message("prompt.buttons.place", side="light"))
        page.locator("#message", has_text=whose_turn).wait_for(state="attached")
        text = page.locator("body").inner_text()
        assert not re.search(r"\bpage\.\w|\{\w+\}", text), text
        for size in (SMALLEST, PHONE, TABLET):
            resize(page, size)
            found += [f"{language}, {size}: too wide: {thing}" for thing in find_overflowing_elements(page)]
            found += [f"{language}, {size}: too small: {thing}" for thing in find_small_buttons(page)]
    assert not found, "\n".join(found)


def test_every_dialog_fits_and_matches_its_picture(serve_table, open_phone, folder):
    table = serve_table("--journal", folder / "games")
    page = Player(open_phone(table), table).take_seat().page
    with table.connect() as program:
        program.send({"command": "action", "action": "@b2"})  # so that there is a game to resign
    dialog, found = page.get_by_role("dialog"), []
    for language in LANGUAGES:
        choose_language(page, language)
        for opener in DIALOGS:
            page.locator(f"#{opener}").dispatch_event("click")
            dialog.wait_for()
            if opener == "open-settings":
                if language == "en":  # the list stays open
                    page.locator("#open-health").dispatch_event("click")
                page.locator("#health-list li").first.wait_for()
            if opener == "open-exercises":
                page.locator("#exercise-list li").first.wait_for()
            for size in (SMALLEST, PHONE):
                resize(page, size)
                found += [
                    f"{language}, {opener}, {size}: too wide: {thing}" for thing in find_overflowing_elements(page)
                ]
                found += [f"{language}, {opener}, {size}: too small: {thing}" for thing in find_small_buttons(page)]
                found += [f"{language}, {opener}, {size}: cut: {text}" for text in find_cut_texts(page)]
            if language != "en" and opener in TRANSLATED_DIALOGS:
                found.append(find_difference(page, f"{opener}-{language}"))
            dialog.focus()  # taking a picture removes the focus
            page.keyboard.press("Escape")
            dialog.wait_for(state="hidden")
            page.wait_for_timeout(1000 * 2 / REQUESTS_PER_SECOND)  # avoids the rate limit
    found = list(filter(None, found))
    assert not found, "\n".join(found)
