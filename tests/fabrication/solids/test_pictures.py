"""Pictures of printed parts."""

import io

import pytest
from PIL import Image

from pond_hw.fabrication.solids import pictures
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.fabrication.solids.shapes import make_box
from pond_hw.profile import load_profile
from tests.fabrication.solids.boards import built, part, with_three_faces

RED, BLUE = (200, 40, 40), (40, 40, 200)


def seen(data):
    return Image.open(io.BytesIO(data)).convert("RGB")


def test_nearer_solid_hides_farther():
    front, back = (make_box((0, 10), (0, 10), (0, 10)), RED), (make_box((0, 10), (20, 30), (0, 10)), BLUE)
    for order in ([front, back], [back, front]):
        r, _, b = seen(pictures.render_solids(order, -90, 0, (100, 100))).getpixel((50, 50))
        assert r > 2 * b
    r, _, b = seen(pictures.render_solids([front, back], 90, 0, (100, 100))).getpixel((50, 50))
    assert b > 2 * r


@pytest.mark.parametrize(("azimuth", "elevation", "left"), [(-90, 0, RED), (90, 0, BLUE), (-90, 89, RED)])
def test_picture_is_not_mirrored(azimuth, elevation, left):
    """Red is on the left and blue on the right, and the other way round from behind."""
    picture = seen(
        pictures.render_solids(
            [(make_box((-20, -5), (0, 9), (0, 9)), RED), (make_box((5, 20), (0, 9), (0, 9)), BLUE)],
            azimuth,
            elevation,
            (100, 60),
        )
    )
    r, _, b = picture.getpixel((15, 30))
    assert (r > b) == (left == RED)


def test_edges_are_dark_and_faces_plain():
    picture = seen(pictures.render_solids([(make_box((0, 10), (0, 10), (0, 10)), RED)], -60, 30, (120, 120)))
    shades = {picture.getpixel((x, y)) for x in range(120) for y in range(120)}
    assert (255, 255, 255) in shades
    assert any(sum(shade) < 150 for shade in shades)
    assert len(shades) < 40


@pytest.mark.slow
def test_pictures_are_reproducible():
    first, again = (pictures.render_solids([(part("hall-4x4", "piece").solid, RED)], size=(200, 150)) for _ in range(2))
    assert first == again
    assert first.startswith(b"\x89PNG")
    assert b"tIME" not in first
    assert b"tEXt" not in first


@pytest.mark.slow
@pytest.mark.parametrize("has_faces", [False, True])
def test_draw_pieces_shows_three(has_faces):
    parts = printed_parts(with_three_faces(load_profile("hall-4x4"))) if has_faces else built("hall-4x4")
    picture = seen(pictures.draw_pieces(parts))
    assert picture.size == (880, 320)
    colours = picture.getcolors(1 << 16)
    assert 0.2 < sum(count for count, colour in colours if colour != (255, 255, 255)) / (880 * 320) < 0.8


@pytest.mark.long
def test_board_picture_has_content():
    assert len(seen(pictures.draw_board(built("hall-4x4"))).getcolors(1 << 16)) > 20


@pytest.mark.long
@pytest.mark.parametrize(("name", "has_green"), [("hall-4x4", True), ("neotrellis-4x4", False)])
def test_exploded_view_shows_row_boards(name, has_green):
    picture = seen(pictures.draw_exploded(built(name), SolidLayout(load_profile(name))))
    colours = picture.getcolors(1 << 16)
    green = sum(count for count, (r, g, b) in colours if g > 1.3 * max(r, b))
    assert (green > 20_000) == has_green
    assert len(colours) > 20
