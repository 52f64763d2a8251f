"""How every screen of the page looks and reads: on a phone, a tablet and the screen on the wall of a café."""

import re

import pytest

from tests.conftest import need

need("playwright", "it drives the browser")
need("chromium", "it plays the phones")
need("starlette", "it serves the page")
need("websockets", "the page is told everything by a WebSocket")

from pond_hw.messages.catalogue import LANGUAGES, get_catalogue  # noqa: E402
from pond_hw.messages.message import Message  # noqa: E402
from tests.web.browser import (  # noqa: E402
    PHONE,
    SCREEN,
    TABLET,
    find_barriers,
    find_small_buttons,
    find_wide_things,
    stand_still,
)
from tests.web.browser_screens import walk  # noqa: E402
from tests.web.golden import assert_looks_like  # noqa: E402

pytestmark = pytest.mark.slow

SMALLEST = (320, 568)
"""The smallest phone that anybody still has; also what is left of a larger one when everything is shown larger."""

DIM = {"first", "asking", "chosen", "what-if", "gone"}
"""The screens that are also looked at in dim colours: together they show all that has a colour."""

PICTURES = {"first": [PHONE], "chosen": [PHONE, TABLET, SCREEN], "over": [TABLET, SCREEN], "what-if": [PHONE]}
"""The screens of which pictures are kept, and in which sizes."""


@pytest.fixture
def screens(lay_table, open_phone, folder):
    return walk(lay_table("--variant", "mini", "--journal", folder / "games"), open_phone)


def test_every_screen_is_without_barriers_and_fits_a_small_phone(screens):
    """axe finds nothing, in bright colours and in dim ones; nothing sticks out, and no button is too small to be hit."""
    found = []
    for name, page in screens:
        found += [f"{name}: {barrier}" for barrier in find_barriers(page)]
        if name in DIM:
            page.emulate_media(color_scheme="dark")
            found += [f"{name}, dim: {barrier}" for barrier in find_barriers(page, "color-contrast")]
            page.emulate_media(color_scheme="light")
        for size in (SMALLEST, PHONE):
            resize(page, size)
            found += [f"{name}, {size}: too wide: {thing}" for thing in find_wide_things(page)]
            found += [f"{name}, {size}: too small: {thing}" for thing in find_small_buttons(page)]
    assert not found, "\n".join(found)


def test_screens_look_like_their_pictures(screens):
    for name, page in screens:
        for size in PICTURES.get(name, ()):
            resize(page, size)
            assert_looks_like(page, f"{name}-{size[0]}")
        resize(page, PHONE)


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


def resize(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    stand_still(page)
