"""Printed files: each is a closed solid with the right holes, and no file is missing."""

from dataclasses import replace

import pytest
from manifold3d import CrossSection

from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.mesh import to_stl
from pond_hw.fabrication.solids.print_checks import check_part, check_solids
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.profile import load_profile
from pond_hw.rules import DARK, LIGHT, VARIANTS
from tests.conftest import long_after_first
from tests.fabrication.solids.boards import SHIPPED, built, count_bodies, count_holes, part, read_stl

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", long_after_first(("hall-5x5", *(name for name in SHIPPED if name != "hall-5x5"))))
def test_shipped_board_has_no_faults(name):
    assert check_solids(load_profile(name), built(name)) == ()


@pytest.mark.parametrize("name", long_after_first(("hall-5x5", *(name for name in SHIPPED if name != "hall-5x5"))))
def test_stl_files_are_closed_solids(name):
    for one in built(name):
        mesh = read_stl(to_stl(one.solid))
        assert mesh.is_watertight, one.name
        assert mesh.is_winding_consistent, one.name
        assert count_bodies(mesh) == 1 + one.cavity_count, one.name  # a cavity has a surface of its own
        assert count_holes(mesh) == one.hole_count, one.name
        assert mesh.volume == pytest.approx(one.solid.volume(), rel=1e-4), one.name
        assert mesh.bounds[0][2] == pytest.approx(0, abs=1e-4), one.name


@pytest.mark.parametrize("name", long_after_first(sorted(SHIPPED, key="matrix-5x5".__ne__)))
def test_stl_files_are_small(name):
    assert sum(len(to_stl(one.solid)) for one in built(name)) < 1_000_000


def test_stl_files_are_reproducible():
    first, again = (printed_parts(load_profile("hall-4x4")) for _ in range(2))
    assert [one.name for one in first] == [one.name for one in again]
    assert [to_stl(one.solid) for one in first] == [to_stl(one.solid) for one in again]


def test_stl_header_has_no_date():
    data = to_stl(part("hall-4x4", "piece").solid)
    assert data[:80] == b"pond, mm" + b" " * 72
    assert len(data) == 84 + 50 * int.from_bytes(data[80:84], "little")


def test_button_board_has_expected_parts():
    assert [(one.name, one.count, one.hole_count) for one in built("direct-4x4")] == [
        ("case", 1, 1 + 5 + 5 + 1),  # the Pi's plug, the slots under it and above it, the key
        ("plate", 1, 4 + 4 + 16),  # screws, the rows' connectors, a window under each cell
        ("grid", 1, 16 + 4),
        ("lid", 1, 16 + 4),
        ("diffuser", 16, 0),
    ]


def test_board_with_pieces_has_expected_parts():
    assert [(one.name, one.count, one.hole_count) for one in built("hall-4x4")] == [
        (
            "case",
            1,
            1 + 5 + 5 + 1 + 7 + 1 + 1,
        ),  # and the buzzer's seven holes, the lamps' own supply, the turn keys' wires
        ("plate", 1, 4 + 4 + 16),
        ("grid", 1, 16 + 4),
        ("lid", 1, 16 + 4),
        ("diffuser", 16, 0),
        ("piece", 28, 0),  # fourteen eggs a side at most
        ("keys", 1, 2),
    ]


@pytest.mark.parametrize(("keys", "holes"), [({LIGHT: 23, DARK: 24}, 2), ({None: 23}, 1), ({}, 0)])
def test_turn_keys_add_box_and_cable_hole(keys, holes):
    profile = load_profile("hall-4x4")
    without, parts = (printed_parts(replace(profile, turn_key_pins=pins)) for pins in ({}, keys))
    boxes = [(one.count, one.hole_count, check_part(one)) for one in parts if one.name == "keys"]
    assert boxes == [(1, holes, ())] * bool(keys)
    assert parts[0].hole_count - without[0].hole_count == bool(keys)
    assert check_part(parts[0]) == ()


def test_piece_count_covers_all_variants():
    for name, size in (("hall-4x4", 4), ("hall-5x5", 5)):
        eggs = max(variant.spawn for variant in VARIANTS.values() if variant.size <= size)
        assert part(name, "piece").count == 2 * eggs


def test_neotrellis_board_has_expected_parts():
    assert [(one.name, one.count, one.hole_count) for one in built("neotrellis-4x4")] == [
        ("back", 1, 1 + 5 + 5 + 1),
        ("bezel", 1, 16 + 4),
        ("clip", 4, 1),
    ]
    x0, y0, _, x1, y1, _ = part("neotrellis-4x4", "bezel").solid.bounding_box()
    assert (x1 - x0, y1 - y0) == pytest.approx((111.8, 111.8))


def test_pause_is_at_a_whole_layer_above_magnets():
    layout, piece = SolidLayout(load_profile("hall-4x4")), part("hall-4x4", "piece")
    assert piece.pause_z / 0.2 == pytest.approx(round(piece.pause_z / 0.2))
    assert 4.3 == 1 + 3 + 2 * 0.15 < piece.pause_z < 4.3 + 0.4
    assert layout.magnet_size == (8, 3)
    assert [one.name for one in built("hall-4x4") if one.pause_z or one.cavity_count] == ["piece"]


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_every_cell_has_a_diffuser(name):
    layout, tile = SolidLayout(load_profile(name)), part(name, "diffuser")
    assert [at for place in tile.placements for at in (place[0][3], place[1][3])] == pytest.approx(
        sum(layout.cell_points, ())
    )
    assert len(tile.placements) == tile.count == layout.size**2


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_grid_stands_on_row_boards_only_at_cell_boundaries(name):
    """Walls are 2 mm wide, and gussets have legs of 4 mm. Everything else on the row boards is free."""
    layout, grid = SolidLayout(load_profile(name)), part(name, "grid").solid
    foot = grid.slice(0.01)
    room = sum(
        (CrossSection.square((31.3, 31.3), True).translate(point) for point in layout.cell_points), CrossSection()
    )
    gussets = foot ^ room
    assert len(gussets.decompose()) == 4 * len(layout.cell_points)
    for gusset in gussets.decompose():
        x0, y0, x1, y1 = gusset.bounds()
        assert max(x1 - x0, y1 - y0) < 4.05
        assert gusset.area() < 8.1
    # The walls close each cell: light leaves it only upwards.
    for line in layout.wall_lines:
        for k in range(-20, 21):
            assert _covered(foot, line, k / 20 * layout.half_size)
            assert _covered(foot, k / 20 * layout.half_size, line)


def _covered(cut, x, y):
    dot = CrossSection.square((0.2, 0.2), True).translate((x, y))
    return (cut ^ dot).area() == pytest.approx(0.04)
