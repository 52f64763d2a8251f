"""Pictures of the page as it should look, and the comparison with how it looks now.

    .venv/bin/python -m tests.web.golden    # takes all of them again; look at them before you commit them

A picture that differs fails its test. What the page looks like now, and the difference, are then in a folder that the
failure names. Pictures of large screens are kept smaller than they are, but large enough for their letters to be read.
"""

import os
import tempfile
from pathlib import Path

from tests.conftest import need
from tests.web.browser import need_letters, stand_still

FOLDER = Path(__file__).parent

RENEW = "POND_GOLDEN"
"""The environment variable that says `renew` while pictures are taken again."""

COLOURS = 48
"""In a picture that is kept."""

SCALES = {360: 1, 640: 1, 768: 2, 1920: 3}
"""So many times smaller is a picture kept than a screen of so many pixels in width."""

LOUD = 48
"""A difference of so much, of 255, is seen; less is another browser's way to draw the edge of a letter."""

MOST_SHARE = 0.0015
"""So many of all pixels may differ that much, for browsers draw letters a little differently: a piece on the board is more."""

DRAW_MS = 500
"""A busy browser has not always drawn all of a screen that has just changed its size; it has, so much later."""

LOOK_AT = """(place) => {
  document.activeElement?.blur();
  if (place) document.querySelector(place).scrollIntoView();
  else scrollTo(0, 0);
}"""


def find_difference(page, screen, place=None):
    """How the page looks other than in the picture of this screen: a sentence; None if it looks the same.

    If pictures are renewed, this is how it looks from now on.

    Args:
        page: the page.
        screen: its name.
        place: what of the page is scrolled to the top; None: its beginning.
    """
    need("PIL", "it compares pictures")
    need_letters()
    stand_still(page)
    page.evaluate(LOOK_AT, place)
    width = page.viewport_size["width"]
    name = f"{screen}-{width}"
    kept = FOLDER / f"{name}.webp"
    taken = _take_picture(page)
    if os.environ.get(RENEW) == "renew":
        _palette(taken).save(kept, lossless=True, quality=100, method=6)
    if not kept.exists():
        return f"there is no picture {name}: take it with python -m tests.web.golden"
    wanted = open_picture(kept.read_bytes())
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
    return f"{name} looks different: {100 * share_of_difference(wanted, taken):.2f} % of its pixels; see {folder}"


def _take_picture(page):
    picture = open_picture(page.screenshot(animations="disabled", caret="hide", scale="css"))
    return picture.reduce(SCALES[page.viewport_size["width"]])


def _looks_like(wanted, taken):
    return wanted.size == taken.size and share_of_difference(wanted, taken) <= MOST_SHARE


def open_picture(content):
    """The picture in these bytes, with its colours written out."""
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(content)) as opened:
        return opened.convert("RGB")


def _palette(picture):
    from PIL import Image

    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    return few.convert("RGB")


def _loud(wanted, taken):
    """White where somebody would see a difference, once all edges are a little softer than they are."""
    from PIL import ImageChops, ImageFilter

    soft = [each.filter(ImageFilter.BoxBlur(1)) for each in (wanted, taken)]
    bands = ImageChops.difference(*soft).split()
    loudest = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return loudest.point(lambda value: 255 if value > LOUD else 0)


def share_of_difference(wanted, taken):
    """How many of all pixels somebody would call different, 0 to 1."""
    return _loud(wanted, taken).histogram()[255] / (wanted.width * wanted.height)


def _difference(wanted, taken):
    """The new picture, pale, with what differs in red."""
    from PIL import Image

    pale = Image.blend(taken.convert("L").convert("RGB"), Image.new("RGB", taken.size, "white"), 0.6)
    pale.paste("red", mask=_loud(wanted, taken))
    return pale
