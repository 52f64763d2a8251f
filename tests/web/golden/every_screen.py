"""Pictures of every screen, in all languages, sizes and colours, and contact sheets of them. They are not committed."""

import tempfile
from contextlib import ExitStack
from itertools import product
from pathlib import Path

from pond_hw.messages.catalogue import LANGUAGES
from tests.web.browser import COLOURS, SIZES, Phone, find_barriers, open_browser
from tests.web.browser_screens import WALKS, Walk, choose_language, resize
from tests.web.golden import LOOK_AT, open_picture
from tests.web.page_layout import list_layout_faults
from tests.web.served_page import ServedPage

SHEET_WIDTHS = {360: (4, 360), 640: (2, 640), 768: (4, 384), 1920: (2, 768)}
"""Number of pictures in a row of a contact sheet, and the width of each, by screen width."""

LABEL_HEIGHT = 16


def take_every_screen(folder, walks=()):
    """Take all pictures of some or all walks, and print what is wrong on each screen.

    Args:
        folder: folder for the contact sheets. The pictures are in its folder `pictures`.
        walks: names of walks; all of them if there are none.
    """
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for walk in WALKS:
        if not walks or walk.__name__ in walks:
            _take_walk(walk, folder)


def _take_walk(walk, folder):
    with ExitStack() as last:
        browser = last.enter_context(open_browser())
        place = Path(last.enter_context(tempfile.TemporaryDirectory(prefix="pond")))

        def serve_table(*board, **how):
            table = ServedPage(place, *board, **how)
            last.callback(table.close)
            return table

        def open_phone(table, *size, **how):
            return Phone(browser, table.address, *size, **how).open()

        state = Walk(serve_table, open_phone, place)
        for name in walk(state):
            for size, pictures in _take_screen(state, name, folder / "pictures").items():
                _make_sheet(pictures, size).save(folder / f"{name}-{size[0]}.png")


def _take_screen(state, name, folder):
    """Return the pictures of a screen by size, each with its label."""
    page = state.page
    pictures = {size: [] for size in SIZES}
    for language, size in product(LANGUAGES, SIZES):
        choose_language(page, language, state.opener)
        resize(page, size)
        faults = list_layout_faults(page)
        page.evaluate(LOOK_AT, state.place)
        for colours in COLOURS:
            page.emulate_media(color_scheme=colours)
            if language == "en" and size == SIZES[0]:
                faults += find_barriers(page, "color-contrast")
            content = page.screenshot(animations="disabled", caret="hide", scale="css")
            label = f"{name}-{language}-{size[0]}-{colours}"
            (folder / f"{label}.png").write_bytes(content)
            pictures[size].append((label, open_picture(content)))
        for fault in faults:
            print(f"{name}, {language}, {size[0]}: {fault}", flush=True)
    choose_language(page, "en", state.opener)
    resize(page, SIZES[0])
    page.emulate_media(color_scheme=COLOURS[0])
    return pictures


def _make_sheet(pictures, size):
    from PIL import Image, ImageDraw

    columns, width = SHEET_WIDTHS[size[0]]
    height = width * size[1] // size[0] + LABEL_HEIGHT
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * (width + 4), rows * (height + 4)), "grey")
    for index, (label, picture) in enumerate(pictures):
        left, top = index % columns * (width + 4), index // columns * (height + 4)
        ImageDraw.Draw(sheet).text((left + 2, top + 2), label, "white")
        sheet.paste(picture.resize((width, height - LABEL_HEIGHT)), (left, top + LABEL_HEIGHT))
    return sheet
