"""What comes out of the printer: every file is a solid with the holes that it should have, and everything is there."""

from dataclasses import replace

import pytest

from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.mesh import to_stl
from pond_hw.fabrication.solids.print_checks import check_part, check_solids
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.profile import load_profile
from pond_hw.rules import DARK, LIGHT, VARIANTS
from tests.conftest import first_now_rest_long
from tests.fabrication.solids.boards import SHIPPED, bodies, built, holes, part, read_back

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", first_now_rest_long(("hall-5x5", *(name for name in SHIPPED if name != "hall-5x5"))))
def test_a_board_that_ships_has_nothing_wrong(name):
    assert check_solids(load_profile(name), built(name)) == ()


@pytest.mark.parametrize("name", first_now_rest_long(("hall-5x5", *(name for name in SHIPPED if name != "hall-5x5"))))
def test_another_program_reads_each_file_as_one_closed_solid_with_its_holes(name):
    for one in built(name):
        mesh = read_back(to_stl(one.solid))
        assert mesh.is_watertight, one.name
        assert mesh.is_winding_consistent, one.name
        assert bodies(mesh) == 1 + one.room_count, one.name  # a room is a surface of its own
        assert holes(mesh) == one.hole_count, one.name
        assert mesh.volume == pytest.approx(one.solid.volume(), rel=1e-4), one.name
        assert mesh.bounds[0][2] == pytest.approx(0, abs=1e-4), one.name


@pytest.mark.parametrize("name", first_now_rest_long(sorted(SHIPPED, key="matrix-5x5".__ne__)))
def test_all_files_of_a_board_are_small_enough_to_be_kept_with_the_program(name):
    assert sum(len(to_stl(one.solid)) for one in built(name)) < 1_000_000


def test_the_same_board_gives_the_same_bytes():
    first, again = (printed_parts(load_profile("hall-4x4")) for _ in range(2))
    assert [one.name for one in first] == [one.name for one in again]
    assert [to_stl(one.solid) for one in first] == [to_stl(one.solid) for one in again]


def test_the_header_of_a_file_tells_no_date():
    data = to_stl(part("hall-4x4", "piece").solid)
    assert data[:80] == b"pond, mm" + b" " * 72
    assert len(data) == 84 + 50 * int.from_bytes(data[80:84], "little")


def test_a_board_of_buttons_needs_these_parts():
    assert [(one.name, one.count, one.hole_count) for one in built("direct-4x4")] == [
        ("case", 1, 1 + 5 + 5 + 1),  # the Pi's plug, the slots under it and above it, the key
        ("plate", 1, 4 + 2 * 4 + 4 * 16),  # screws, wires at both ends of four strips, four legs a switch
        ("grid", 1, 16 + 4),
        ("lid", 1, 16 + 4),
        ("diffuser", 16, 0),
    ]


def test_a_board_for_pieces_needs_these_parts():
    assert [(one.name, one.count, one.hole_count) for one in built("hall-4x4")] == [
        (
            "case",
            1,
            1 + 5 + 5 + 1 + 7 + 1 + 1,
        ),  # and the buzzer's seven holes, the lamps' own supply, the turn keys' wires
        ("plate", 1, 4 + 2 * 8 + 16),  # screws, eight strips, three legs of a sensor through one hole
        ("grid", 1, 16 + 4),
        ("lid", 1, 16 + 4),
        ("diffuser", 16, 0),
        ("piece", 28, 0),  # fourteen eggs a side at the most
        ("keys", 1, 2),
    ]


@pytest.mark.parametrize(("keys", "holes"), [({LIGHT: 23, DARK: 24}, 2), ({None: 23}, 1), ({}, 0)])
def test_turn_keys_get_a_box_and_the_case_a_hole_for_their_wires(keys, holes):
    profile = load_profile("hall-4x4")
    without, parts = (printed_parts(replace(profile, turn_key_pins=pins)) for pins in ({}, keys))
    boxes = [(one.count, one.hole_count, check_part(one)) for one in parts if one.name == "keys"]
    assert boxes == [(1, holes, ())] * bool(keys)
    assert parts[0].hole_count - without[0].hole_count == bool(keys)
    assert check_part(parts[0]) == ()


def test_there_is_a_piece_for_every_egg_of_every_pond_that_fits_on_the_board():
    for name, size in (("hall-4x4", 4), ("hall-5x5", 5)):
        eggs = max(variant.spawn for variant in VARIANTS.values() if variant.size <= size)
        assert part(name, "piece").count == 2 * eggs


def test_a_trellis_needs_a_back_a_bezel_with_its_keys_and_screws_and_four_clips():
    assert [(one.name, one.count, one.hole_count) for one in built("neotrellis-4x4")] == [
        ("back", 1, 1 + 5 + 5 + 1),
        ("bezel", 1, 16 + 4),
        ("clip", 4, 1),
    ]
    x0, y0, _, x1, y1, _ = part("neotrellis-4x4", "bezel").solid.bounding_box()
    assert (x1 - x0, y1 - y0) == pytest.approx((111.8, 111.8))


def test_the_printer_pauses_at_a_whole_layer_above_the_magnets():
    sized, piece = SolidLayout(load_profile("hall-4x4")), part("hall-4x4", "piece")
    assert piece.pause_z / 0.2 == pytest.approx(round(piece.pause_z / 0.2))
    assert piece.pause_z > 1 + sized.magnet_size[1] + 0.15
    assert [one.name for one in built("hall-4x4") if one.pause_z or one.room_count] == ["piece"]


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_a_diffuser_lies_over_every_cell(name):
    sized, tile = SolidLayout(load_profile(name)), part(name, "diffuser")
    assert [at for place in tile.placements for at in (place[0][3], place[1][3])] == pytest.approx(
        sum(sized.cell_points, ())
    )
    assert len(tile.placements) == tile.count == sized.size**2


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_a_strip_passes_below_each_wall_but_no_light_does(name):
    """The gaps under the walls are lower than what shines, and nothing but strips is cut out of a wall."""
    sized, grid = SolidLayout(load_profile(name)), part(name, "grid").solid
    low = grid.slice(1.19)
    for line in sized.wall_lines:
        for y in sized.strip_rows:
            inside = [x for x in low.to_polygons() if _holds(x, line, y)]
            assert not inside, "a wall stands on a strip"
    solid = grid.slice(1.21)  # just over the gaps, and lower than a lamp's light: 1.57 mm
    for line in sized.wall_lines:
        for k in range(-20, 21):
            assert _covered(solid, line, k / 20 * sized.half_size)
            assert _covered(solid, k / 20 * sized.half_size, line)


def _holds(polygon, x, y):
    from manifold3d import CrossSection

    return _covered(CrossSection([polygon]), x, y)


def _covered(cut, x, y):
    """Whether a slice is solid around a point."""
    from manifold3d import CrossSection

    dot = CrossSection.square((0.2, 0.2), True).translate((x, y))
    return (cut ^ dot).area() == pytest.approx(0.04)
