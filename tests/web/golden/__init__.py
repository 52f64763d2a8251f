"""Reference pictures of the page, and their comparison.

    .venv/bin/python -m tests.web.golden    # takes all pictures again; look at them before you commit them

A picture that differs fails its test. The failure names a folder with the new picture and the difference. Pictures of
large screens are scaled down, but remain readable.
"""

import os
import tempfile
from pathlib import Path

from tests.conftest import require
from tests.web.browser import freeze_page, require_picture_font

FOLDER = Path(__file__).parent

RENEW = "POND_GOLDEN"
"""Environment variable that is set to `renew` while pictures are taken again."""

COLOURS = 48
"""Number of colours in a stored picture."""

SCALES = {360: 1, 640: 1, 768: 2, 1920: 3}
"""Factor by which pictures are scaled down, by screen width."""

VISIBLE_DIFFERENCE = 48
"""Difference of a pixel, out of 255, above which it is visible. Smaller ones come from font rendering."""

MAX_SHARE = 0.0015
"""Maximum share of differing pixels. It allows for differences in font rendering, but not for a piece on the board."""

DRAW_MS = 500
"""Milliseconds before the second attempt, because a busy browser may still be drawing."""

LOOK_AT = """(place) => {
  document.activeElement?.blur();
  if (place) document.querySelector(place).scrollIntoView();
  else scrollTo(0, 0);
}"""


def find_difference(page, screen, place=None):
    """Return how the page differs from its picture, or None. While pictures are renewed, store a new one.

    Args:
        page: the page.
        screen: name of the screen.
        place: element to scroll to the top; None for the beginning of the page.
    """
    require("PIL", "it compares pictures")
    require_picture_font()
    freeze_page(page)
    page.evaluate(LOOK_AT, place)
    width = page.viewport_size["width"]
    name = f"{screen}-{width}"
    file = FOLDER / f"{name}.webp"
    taken = _take_picture(page)
    if os.environ.get(RENEW) == "renew":
        _palette(taken).save(file, lossless=True, quality=100, method=6)
    if not file.exists():
        return f"there is no picture {name}: take it with python -m tests.web.golden"
    wanted = open_picture(file.read_bytes())
    if _looks_like(wanted, taken):
        return None
    page.wait_for_timeout(DRAW_MS)
    taken = _take_picture(page)
    if _looks_like(wanted, taken):
        return None
    folder = Path(tempfile.gettempdir()) / "pond-golden"
    folder.mkdir(exist_ok=True)
    taken.save(folder / f"{name}.png")
    wanted.save(folder / f"{name}.wanted.png")
    if wanted.size != taken.size:
        return f"{name} is {taken.size}, not {wanted.size}; see {folder}"
    _difference(wanted, taken).save(folder / f"{name}.difference.png")
    return f"{name} looks different: {100 * find_changed_share(wanted, taken):.2f} % of its pixels; see {folder}"


def _take_picture(page):
    picture = open_picture(page.screenshot(animations="disabled", caret="hide", scale="css"))
    return picture.reduce(SCALES[page.viewport_size["width"]])


def _looks_like(wanted, taken):
    return wanted.size == taken.size and find_changed_share(wanted, taken) <= MAX_SHARE


def open_picture(content):
    """Decode a picture to full colours."""
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(content)) as opened:
        return opened.convert("RGB")


def _palette(picture):
    from PIL import Image

    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    return few.convert("RGB")


def _visible_mask(wanted, taken):
    """Return a mask that is white where a difference is visible. All edges are softened first."""
    from PIL import ImageChops, ImageFilter

    soft = [each.filter(ImageFilter.BoxBlur(1)) for each in (wanted, taken)]
    bands = ImageChops.difference(*soft).split()
    loudest = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return loudest.point(lambda value: 255 if value > VISIBLE_DIFFERENCE else 0)


def find_changed_share(wanted, taken):
    """Return the share of visibly different pixels, 0 to 1."""
    return _visible_mask(wanted, taken).histogram()[255] / (wanted.width * wanted.height)


def _difference(wanted, taken):
    """Return a pale copy of the new picture, with the differences in red."""
    from PIL import Image

    pale = Image.blend(taken.convert("L").convert("RGB"), Image.new("RGB", taken.size, "white"), 0.6)
    pale.paste("red", mask=_visible_mask(wanted, taken))
    return pale
