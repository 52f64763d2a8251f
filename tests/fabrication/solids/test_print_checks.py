"""Assembly of the board: fits, play, and messages about misfits."""

from dataclasses import replace

import pytest

from pond_hw.fabrication.parts_list import list_fasteners
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.board_parts import list_bought_parts, make_case, make_plate, make_row_board
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.piece import make_piece
from pond_hw.fabrication.solids.print_checks import (
    assembled_parts,
    check_captive,
    check_clearance,
    check_fit,
    check_part,
    check_room,
    find_clashes,
    part_fits,
    shared_volume,
)
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.fabrication.solids.shapes import make_box, place_solid, unite_solids, upright_cylinder
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from tests.conftest import long_after_first
from tests.fabrication.solids.boards import SHIPPED, board, built, part, with_three_faces

pytestmark = pytest.mark.slow

# --- Good boards ---


def test_part_clearances_are_correct():
    found = {(fit.inner, fit.outer): fit.clearance for fit in part_fits(load_profile("hall-4x4"))}
    assert found == {
        ("plate", "case"): (0.3, 0.3),
        ("row boards", "plate"): (0.3, pytest.approx(0.6)),  # four gaps of 0.3 mm
        ("grid", "case"): (0.3, 0.3),
        ("diffuser", "grid"): (0.3, 0.3),
        ("diffuser", "lid"): (pytest.approx(0.3), pytest.approx(0.3)),
    }


@pytest.mark.parametrize("name", long_after_first(sorted(SHIPPED[:4], key="hall-5x5".__ne__)))
def test_diffuser_cannot_fall_out(name):
    tile, lid = (
        place_solid(part(name, "diffuser").solid, part(name, "diffuser").placements[0]),
        _in_place(name, "lid"),
    )
    for x, y in ((0, 0), (0.3, 0), (0, -0.3), (0.3, 0.3)):
        assert shared_volume(tile.translate((x, y, 1.0)), lid) > 1, (x, y)


@pytest.mark.parametrize("name", long_after_first(sorted(SHIPPED[:4], key="hall-5x5".__ne__)))
def test_diffuser_can_rise_0_3_mm(name):
    tile, lid = (
        place_solid(part(name, "diffuser").solid, part(name, "diffuser").placements[0]),
        _in_place(name, "lid"),
    )
    assert shared_volume(tile.translate((0, 0, 0.28)), lid) == pytest.approx(0, abs=1e-3)
    assert shared_volume(tile.translate((0, 0, 0.32)), lid) > 0.5


@pytest.mark.parametrize("name", long_after_first(sorted(SHIPPED[:4], key="hall-5x5".__ne__)))
def test_plate_grid_and_lid_rest_on_each_other(name):
    """Moved down a tenth of a mm, each part collides with the one below. Moved up a tenth, it is free."""
    layout = SolidLayout(load_profile(name))
    rows = unite_solids(make_row_board(layout, y, 7.0) for y in layout.cell_middles)
    for upper, lower in (("plate", "case"), ("row boards", "plate"), ("grid", "row boards"), ("lid", "case")):
        above, below = (rows if each == "row boards" else _in_place(name, each) for each in (upper, lower))
        assert shared_volume(above.translate((0, 0, -0.1)), below) > 1, upper
        assert shared_volume(above.translate((0, 0, 0.1)), below) == 0, upper


def test_button_presses_switch_before_stop():
    layout = SolidLayout(load_profile("direct-4x4"))
    x, y = layout.cell_points[0]
    cap = place_solid(part("direct-4x4", "diffuser").solid, part("direct-4x4", "diffuser").placements[0])
    grid = _in_place("direct-4x4", "grid")
    switch = upright_cylinder((x, y), 3.5, (layout.grid_z, layout.grid_z + s.SWITCH_HEIGHT))  # body and plunger
    assert shared_volume(cap, switch) == pytest.approx(0, abs=1e-3)
    assert shared_volume(cap.translate((0, 0, -s.SWITCH_TRAVEL)), switch) > 3.5
    assert shared_volume(cap.translate((0, 0, -s.BUTTON_TRAVEL + 0.01)), grid) == pytest.approx(0, abs=1e-3)
    assert shared_volume(cap.translate((0, 0, -s.BUTTON_TRAVEL - 0.05)), grid) > 0.1
    lamps = make_box((x - 30, x + 30), (y - 30, y + 30), (layout.grid_z, layout.grid_z + s.LAMP_HEIGHT))
    assert (
        shared_volume(
            cap.translate((0, 0, -s.BUTTON_TRAVEL)) - make_box((x - 3, x + 3), (y - 3, y + 3), (0, 99)), lamps
        )
        == 0
    )


def test_button_pressed_at_corner_closes_switch():
    assert (s.BUTTON_TRAVEL - s.TILE_RISE) / 2 >= s.SWITCH_TRAVEL


def test_tile_is_under_lid_and_rim_below_its_top():
    layout = SolidLayout(load_profile("hall-4x4"))
    grid, tile = (
        _in_place("hall-4x4", "grid"),
        place_solid(part("hall-4x4", "diffuser").solid, part("hall-4x4", "diffuser").placements[0]),
    )
    assert shared_volume(tile.translate((0, 0, -0.05)), grid) > 0.5
    assert tile.bounding_box()[2] - layout.grid_z == pytest.approx(7.6)
    assert layout.top_z - tile.bounding_box()[5] == pytest.approx(2.4 + 0.3 - 1.6)
    assert part("hall-4x4", "diffuser").solid.slice(0.1).area() == pytest.approx(
        layout.flange_side**2
    )  # flat on the bed


# --- The tray and its row boards ---


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_pins_below_row_boards_are_free(name):
    """Pins stick out by 2 mm within 14 mm of the middle of a cell, and the connector with its plug and cable by 15 mm."""
    layout = SolidLayout(load_profile(name))
    plate, case = _in_place(name, "plate"), _in_place(name, "case")
    for x, y in layout.cell_points:
        pins = make_box((x - 14, x + 14), (y - 14, y + 14), (layout.board_z - 2.5, layout.board_z))
        assert shared_volume(pins, plate) + shared_volume(pins, case) == pytest.approx(0, abs=1e-6)
    for y in layout.cell_middles:
        x = -layout.half_size - 4.225
        plug = make_box((x - 2.9, x + 2.9), (y - 13.7, y + 13.7), (layout.board_z - 14.8, layout.board_z))
        assert shared_volume(plug, plate) + shared_volume(plug, case) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_lip_holds_rows_and_leaves_the_grid_free(name):
    """The lip is lower than the boards' tolerance of 10 % allows, and each row rests on ribs along all four edges."""
    layout, plate = SolidLayout(load_profile(name)), _in_place(name, "plate")
    assert 1.0 < s.LIP_HEIGHT < 0.9 * s.ROW_THICKNESS
    low, high = layout.board_z + 0.1, layout.board_z + s.LIP_HEIGHT - 0.1
    edges = (layout.row_ends[0] - 1, layout.row_ends[1] + 1)
    for middle in layout.cell_middles:
        for x in edges:
            assert shared_volume(make_box((x - 0.1, x + 0.1), (middle - 1, middle + 1), (low, high)), plate) > 0
        for y in (-layout.half_size - 1, layout.half_size + 1):
            assert shared_volume(make_box((middle - 1, middle + 1), (y - 0.1, y + 0.1), (low, high)), plate) > 0
        for x in layout.wall_lines[1:]:
            rib = make_box((x - 2, x - 1), (middle - 16, middle + 16), (layout.board_z - 0.2, layout.board_z - 0.1))
            assert shared_volume(rib, plate) == pytest.approx(rib.volume())


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ({"ROW_DEPTH": 33.6}, {"printed.assembly.clash"}),  # rows overlap each other and the lip
        ({"ROW_START": 9.2}, {"printed.assembly.clash"}),
        ({"CABLE_BEND": 7.0}, {"printed.assembly.clash"}),  # a cable hits the carrier
        ({"WINDOW_SIDE": 33.0}, {"printed.assembly.not_borne"}),
    ],
    ids=str,
)
def test_row_board_that_does_not_fit_is_found(change, kinds, monkeypatch):
    """The row boards are changed, but the plate is not, or the other way round."""
    profile = load_profile("hall-4x4")
    layout, *placed = _case_of(profile)
    for size_name, value in change.items():
        monkeypatch.setattr(s, size_name, value)
    changed = SolidLayout(profile)
    if "WINDOW_SIDE" in change:
        placed = [placed[0], ("plate", make_plate(changed))]
    changed.board_z, changed.plate_z, changed.grid_z = layout.board_z, layout.plate_z, layout.grid_z
    assert {message.id for message in check_room(changed, placed)} == kinds


def test_connector_that_hits_the_pi_is_found():
    layout, *placed = _case_of(load_profile("hall-4x4"))
    assert check_room(layout, placed) == ()
    layout.pi_x = -layout.half_size
    faults = [message for message in check_room(layout, placed) if message.id == "printed.assembly.clash"]
    assert {"Pi", "row board 4"} in [{message.arguments["one"], message.arguments["other"]} for message in faults]


@pytest.mark.parametrize(
    ("change", "wanted"), [({"LIP_WIDTH": 0.6}, "printed.part.thin_wall"), ({"ROW_END": 1.0}, "loose")]
)
def test_weak_or_distant_lip_is_found(change, wanted, monkeypatch):
    """A lip of 0.6 mm is too thin to print; a row board that is 0.8 mm too short is loose."""
    profile = load_profile("hall-4x4")
    (fit,) = (each for each in part_fits(profile) if each.inner == "row boards")
    for size_name, value in change.items():
        monkeypatch.setattr(s, size_name, value)
    if wanted == "loose":
        (short,) = (each for each in part_fits(profile) if each.inner == "row boards")
        faults = check_clearance(fit._replace(solids=(short.solids[0], fit.solids[1])))
        assert [(each.id, each.arguments["x"]) for each in faults] == [("printed.assembly.too_loose", 1)]
    else:
        plate = next(each for each in printed_parts(profile) if each.name == "plate")
        assert thin_walls(plate)


@pytest.mark.parametrize("pico", [False, True])
@pytest.mark.parametrize("size", [4, 5])
def test_pillar_is_beside_boards_and_under_ribs(size, pico):
    layout = SolidLayout(board(size, pico=pico))
    x, y = layout.pillar_point
    assert {x, y} <= set(layout.wall_lines[1:-1])
    for name, solid in list_bought_parts(layout):
        pillar = upright_cylinder((x, y), 6, (s.WALL_THICKNESS, layout.plate_z))
        assert shared_volume(pillar, solid) == 0, name


def test_pi_fits_standoffs_and_window():
    for name in SHIPPED[:4]:
        layout, case = SolidLayout(load_profile(name)), _in_place(name, "case")
        x, y, z = layout.pi_x, layout.pi_y, s.WALL_THICKNESS + s.STANDOFF_HEIGHT
        pi = make_box((x, x + 85), (y, y + 56), (z, z + 1.4))
        room = make_box((x - s.PI_OVERHANG, x + 85), (y, y + 56), (z, z + s.PI_ROOM))
        assert shared_volume(room, case) == 0
        assert shared_volume(pi.translate((0, 0, -0.1)), case) > 4  # four standoffs support it
        assert layout.pi_holes[1][0] - layout.pi_holes[0][0] == 58
        assert layout.pi_holes[2][1] - layout.pi_holes[0][1] == 49
        assert layout.pi_holes[3] == pytest.approx((x + 85 - 3.5, y + 56 - 3.5))
        assert layout.case_inside - (y + 56) <= 2  # a plug's sleeve is in the window, and its tip reaches the socket
        plug_x = x + 85 - 11.2
        plug = make_box((plug_x - 6, plug_x + 6), (y + 56, layout.case_edge + 20), (z, z + 6))
        assert shared_volume(plug, case) == 0


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_bought_screws_fit_their_holes(name):
    screws, inserts, *_ = list_fasteners(load_profile(name))
    layout, case = SolidLayout(load_profile(name)), _in_place(name, "case")
    long = float(screws.part.split(" x ")[1])
    assert screws.quantity == inserts.quantity == 4
    for at in layout.screw_points:
        shaft = upright_cylinder(at, 3, (layout.top_z - long, layout.top_z))
        for part_name in ("case", "plate", "grid", "lid"):
            assert shared_volume(shaft, _in_place(name, part_name)) == pytest.approx(0, abs=1e-6), part_name
        thread = upright_cylinder(
            at, 4.6, (layout.top_z - long, layout.plate_z)
        )  # the hole is in the column, with plastic all round
        assert shared_volume(thread, case) == pytest.approx(
            thread.volume() - (thread ^ upright_cylinder(at, 4, (0, 99))).volume(), rel=0.01
        )
        assert layout.plate_z - (layout.top_z - long) >= 4


def test_parts_list_counts_magnets_of_all_pieces():
    plain = load_profile("hall-4x4")
    for profile, count, height in ((plain, 28, 3), (with_three_faces(plain), 84, 2)):
        bought = [(one.part, one.quantity) for one in list_fasteners(profile)]
        assert (f"disc magnet 8 x {height} mm, N42", count) in bought
    assert all("magnet" not in one.part for one in list_fasteners(load_profile("direct-4x4")))


# --- Every fault has a message ---


def test_oversized_magnets_are_reported():
    assert check_fit(board(halls=True, magnet=(8, 3), faces=True)) == ()
    assert check_fit(board(halls=True, magnet=(10, 5))) == ()
    piece = pytest.approx(23.1, abs=0.01)
    (message,) = check_fit(board(halls=True, magnet=(10, 5), faces=True))
    assert message == Message("printed.fit.magnets", width=10, height=5, piece=piece)
    (message,) = check_fit(board(halls=True, magnet=(22, 3)))
    assert message == Message("printed.fit.magnet", width=22, height=3, piece=pytest.approx(23.7, abs=0.01))


def test_thin_wall_is_found():
    lid = part("direct-4x4", "lid")
    thin = replace(
        lid, solid=lid.solid - make_box((-20, 20), (-81.0, -50), (-1, 9)) + make_box((-20, 20), (-82, -80.3), (0, 2))
    )
    assert ("lid", 0.8) in thin_walls(thin)


def thin_walls(part):
    """Return the part and the minimum thickness named in each message about a thin wall."""
    messages = [message for message in check_part(part) if message.id == "printed.part.thin_wall"]
    return [(message.arguments["part"], message.arguments["least"]) for message in messages]


@pytest.mark.parametrize(("wide", "is_thin"), [(0.75, True), (0.5, True), (0.2, True), (0.85, False)])
def test_wall_below_two_nozzles_is_thin(wide, is_thin):
    plate = part("direct-4x4", "plate")
    fin = replace(plate, solid=plate.solid + make_box((10, 20), (0, wide), (1, 9)))
    assert bool(thin_walls(fin)) == is_thin


def test_wrong_hole_count_is_found():
    grid = part("direct-4x4", "grid")
    drilled = replace(grid, solid=grid.solid - make_box((15, 18), (-99, -60), (4, 6)))
    assert check_part(drilled) == (Message("printed.part.holes", part="grid", count=21, wanted=20),)
    x, y = SolidLayout(load_profile("direct-4x4")).cell_points[5]
    filled = replace(grid, solid=grid.solid + make_box((x - 20, x + 20), (y - 20, y + 20), (0, 3)))
    assert check_part(filled) == (Message("printed.part.holes", part="grid", count=19, wanted=20),)


def test_oversized_part_is_found():
    lid = part("direct-4x4", "lid")
    message = check_part(replace(lid, solid=lid.solid.scale((1.41, 1, 1))))[0]
    assert (message.id, message.arguments["part"]) == ("printed.part.too_large", "lid")
    assert [message.arguments[axis] for axis in "xyz"] == pytest.approx([230.1, 163.2, 2.4], abs=0.05)


def test_loose_or_floating_part_is_found():
    clip = part("neotrellis-4x4", "clip")
    with_loose_cube = replace(clip, solid=clip.solid + make_box((30, 33), (0, 3), (0, 3)))
    assert check_part(with_loose_cube) == (Message("printed.part.in_pieces", part="clip", pieces=2),)
    (message,) = check_part(replace(clip, solid=clip.solid.translate((0, 0, 1))))
    assert message == Message("printed.part.not_on_bed", part="clip", height=pytest.approx(1))


def test_wrong_cavity_count_is_found():
    lid, piece = part("direct-4x4", "lid"), part("hall-4x4", "piece")
    hollow = replace(lid, solid=lid.solid - make_box((-76, -72), (-3, 3), (0.8, 1.6)))
    assert Message("printed.part.rooms", part="lid", count=1, wanted=0) in check_part(hollow)
    with_open_slots = replace(piece, solid=piece.solid.trim_by_plane((0, 0, -1), -4))
    assert Message("printed.part.rooms", part="piece", count=0, wanted=1) in check_part(with_open_slots)


@pytest.mark.parametrize("name", [name for name in SHIPPED if not name.startswith("usb")])
def test_air_slots_are_above_pi(name):
    """Five slots in the back wall are above the Pi and its plugs, near the top."""
    layout, case = SolidLayout(load_profile(name)), built(name)[0]
    solid = place_solid(case.solid, case.placements[0])
    wall = make_box(
        (layout.pi_x, layout.pi_x + 85), (layout.case_inside + 0.1, layout.case_edge - 0.1), (25, layout.plate_z)
    )
    openings = [one for one in (wall - solid).decompose() if one.bounding_box()[5] > 25.5]
    assert len(openings) == 5
    for one in openings:
        assert layout.plate_z - one.bounding_box()[5] < 4
        assert one.volume() == pytest.approx(10 * 4 * 2.2, rel=0.01)


@pytest.mark.parametrize("name", [name for name in SHIPPED if name.startswith("usb")])
def test_plug_reaches_pico_on_its_carrier(name):
    """The Pico's end is flush with its carrier's far edge. Its socket sticks out by 1.3 mm and does not touch the wall."""
    layout, case = SolidLayout(load_profile(name)), _in_place(name, "case")
    (x, y), (width, depth) = layout.carrier_corner, s.PICO_CARRIER_SIZE
    assert layout.pi_holes == []
    assert 1.3 < layout.case_inside - (y + depth) < 3
    middle, z = x + width / 2, s.WALL_THICKNESS + s.STANDOFF_HEIGHT + s.CARRIER_THICKNESS + s.PICO_SOCKET + 1.0 + 1.4
    plug = make_box((middle - 5.5, middle + 5.5), (y + depth, layout.case_edge + 5), (z - 3.5, z + 3.5))
    assert shared_volume(plug, case) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("name", SHIPPED)
def test_plug_of_lamp_supply_reaches_its_socket(name):
    """The largest overmould passes through the wall, up to the socket at the edge of the carrier."""
    profile = load_profile(name)
    layout, case = SolidLayout(profile), built(name)[0]
    solid, ((x, y), (_width, depth)) = (
        place_solid(case.solid, case.placements[0]),
        (layout.carrier_corner, layout.carrier_size),
    )
    z, (plug_width, plug_height) = s.WALL_THICKNESS + s.STANDOFF_HEIGHT + s.CARRIER_THICKNESS + 1.6, s.USB_C_PLUG
    across, far = plug_width / 2, layout.case_edge + 5
    if layout.is_pico:
        middle = x + s.PICO_CARRIER_USB_C
        spans = (middle - across, middle + across), (y + depth, far)
        assert layout.case_inside - (y + depth) <= 2
    else:
        middle = y + s.CARRIER_USB_C
        spans = (-far, x), (middle - across, middle + across)
        assert layout.is_trellis or x + layout.case_inside == pytest.approx(0.5)
    plug = make_box(*spans, (z - plug_height / 2, z + plug_height / 2))
    assert (shared_volume(plug, solid) < 1e-6) == layout.has_lamp_supply


def test_neotrellis_back_holds_pi():
    layout = SolidLayout(load_profile("neotrellis-4x4"))
    back, bezel = _in_place("neotrellis-4x4", "back"), _in_place("neotrellis-4x4", "bezel")
    x, y, z = layout.pi_x, layout.pi_y, s.WALL_THICKNESS + s.STANDOFF_HEIGHT
    room = make_box((x - s.PI_OVERHANG, x + 85), (y, y + 56), (z, z + 24))
    assert shared_volume(room, back) == 0
    assert shared_volume(room.translate((0, 0, -0.1)), back) > 4
    assert shared_volume(bezel.translate((0, 0, -0.1)), back) > 1
    # the circuit board is in its pocket at the back, held by four clips
    circuit_board = make_box((-30, 30), (-30, 30), (layout.lid_z, layout.lid_z + 1.6))
    assert shared_volume(circuit_board, bezel) == 0
    clip = part("neotrellis-4x4", "clip")
    for place in clip.placements:
        held = place_solid(clip.solid, place)
        assert shared_volume(held.translate((0, 0, 0.1)), circuit_board) > 1
        assert shared_volume(held, make_box((-22, 22), (-22, 22), (0, 99))) == 0


def test_neotrellis_screws_hold():
    screws, inserts, pi_screws, _ = list_fasteners(load_profile("neotrellis-4x4"))
    layout = SolidLayout(load_profile("neotrellis-4x4"))
    assert (screws.quantity, inserts.quantity, pi_screws.quantity) == (4, 4, 8)
    assert float(screws.part.split(" x ")[1]) - (layout.top_z - layout.lid_z) >= 4


def test_loose_magnet_is_found():
    layout = SolidLayout(with_three_faces(load_profile("hall-4x4")))
    whole = make_piece(layout)
    assert check_captive(layout, whole) == ()
    drilled = whole - make_box((-1, 1), (-20, -layout.foot_in + 1.05), (9, 11))
    assert check_captive(layout, drilled) == (Message("printed.loose_magnet.egg", least=0.8),)
    open_above = whole.trim_by_plane((0, 0, -1), -layout.pause_z)
    assert len(check_captive(layout, open_above)) == 3
    thin = whole.trim_by_plane((0, 1, 0), -layout.foot_in + 0.5)
    assert check_captive(layout, thin) == (Message("printed.loose_magnet.egg", least=0.8),)


def test_loose_magnet_in_plain_piece_is_found():
    layout = SolidLayout(load_profile("hall-4x4"))
    whole = make_piece(layout)
    assert check_captive(layout, whole) == ()
    for faulty in (
        whole - make_box((-1, 1), (-1, 1), (-1, 1.05)),
        whole.trim_by_plane((0, 0, -1), -layout.pause_z),
        whole.trim_by_plane((0, 0, 1), 0.5),
    ):
        assert check_captive(layout, faulty) == (Message("printed.loose_magnet.plain", least=0.8),)


def test_overhang_is_found():
    """Upside down, the floor of the case is a ceiling that starts in the air."""
    case = part("direct-4x4", "case")
    high = case.solid.bounding_box()[5]
    over = replace(case, solid=case.solid.rotate((180, 0, 0)).translate((0, 0, high)))
    found = [message.arguments for message in check_part(over) if message.id == "printed.part.overhang"]
    assert [(each["part"], each["most"], each["z"]) for each in found] == [("case", 14, pytest.approx(high - 2.4))]


def test_colliding_parts_are_found():
    found = dict(assembled_parts(built("direct-4x4")))
    assert find_clashes(list(found.items())) == ()
    found["grid"] = found["grid"].translate((0, 0, -0.5))
    (message,) = find_clashes(list(found.items()))
    volume = message.arguments["volume"]
    assert message == Message("printed.assembly.clash", one="plate", other="grid", volume=volume)


def test_tight_or_loose_part_is_found():
    fit = next(one for one in part_fits(load_profile("direct-4x4")) if one.inner == "plate")
    plate, case = fit.solids
    assert check_clearance(fit) == ()
    large = plate.scale((1.003, 1, 1))
    where = {"inner": "plate", "outer": "case", "x": 1, "y": 0}
    tight = Message("printed.assembly.too_tight", **where, play=pytest.approx(0.28))
    assert check_clearance(fit._replace(solids=(large, case)))[0] == tight
    small = plate.scale((0.997, 1, 1))
    loose = Message("printed.assembly.too_loose", **where, play=pytest.approx(0.32))
    assert check_clearance(fit._replace(solids=(small, case)))[0] == loose


def _in_place(name, part_name):
    one = part(name, part_name)
    return place_solid(one.solid, one.placements[0])


# --- The carrier board ---


def _case_of(profile):
    layout = SolidLayout(profile)
    return layout, ("case", make_case(layout)), ("plate", make_plate(layout))


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_case_supports_carrier_without_obstacles(name):
    layout, *placed = _case_of(load_profile(name))
    assert check_room(layout, placed) == ()
    _, *others = list_bought_parts(layout)
    assert {"Pi", "key"} <= {each for each, _ in others}
    (left, front), (width, depth) = layout.carrier_corner, s.CARRIER_SIZE
    screws = [(left + x, front + y) for y in (4.0, depth - 4.0) for x in (4.0, width - 4.0)]
    assert screws == [pytest.approx(point) for point in layout.carrier_holes]
    for x, y in screws:
        shaft = upright_cylinder(
            (x, y), s.STANDOFF_HOLE - 0.2, (s.WALL_THICKNESS, s.WALL_THICKNESS + s.STANDOFF_HEIGHT)
        )
        assert shared_volume(shaft, placed[0][1]) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("pico", [False, True])
@pytest.mark.parametrize("size", [4, 5])
def test_carrier_has_room_on_every_board(size, pico):
    profile = board(size, pico=pico)
    layout, *placed = _case_of(profile)
    assert check_room(layout, placed) == ()
    assert find_clashes(list_bought_parts(layout)) == ()


def test_obstructed_or_unsupported_carrier_is_found():
    layout, *placed = _case_of(load_profile("hall-4x4"))
    column = ("column", upright_cylinder((0, 0), 6, (s.WALL_THICKNESS, layout.plate_z)))
    clashes = [message.arguments for message in check_room(layout, [*placed, column])]
    assert {"one": "carrier", "other": "column"}.items() <= clashes[0].items()
    x, y = layout.carrier_corner
    layout.carrier_corner = x + 10, y
    assert "printed.assembly.not_borne" in [message.id for message in check_room(layout, placed)]
