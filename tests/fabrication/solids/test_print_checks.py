"""Assembly of the board: fits, play, and messages about misfits."""

from dataclasses import replace

import pytest

from pond_hw.fabrication.build_folder import check_magnets
from pond_hw.fabrication.carrier import make_carrier
from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.parts_list import list_fasteners
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.board_parts import list_bought_parts, make_case, make_plate
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.piece import make_piece
from pond_hw.fabrication.solids.print_checks import (
    assembled_parts,
    check_captive,
    check_clearance,
    check_fit,
    check_part,
    check_room,
    check_solids,
    find_clashes,
    part_fits,
    shared_volume,
)
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.fabrication.solids.shapes import make_box, place_solid, upright_cylinder
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from tests.conftest import long_after_first
from tests.fabrication.solids.boards import SHIPPED, board, built, part, with_three_faces
from tools.carrier.placement import place_parts

pytestmark = pytest.mark.slow

# --- Good boards ---


def test_part_clearances_are_correct():
    found = {(fit.inner, fit.outer): fit.clearance for fit in part_fits(load_profile("hall-4x4"))}
    assert found == {
        ("plate", "case"): 0.3,
        ("grid", "case"): 0.3,
        ("diffuser", "grid"): 0.3,
        ("diffuser", "lid"): 0.3,
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
    for upper, lower in (("plate", "case"), ("grid", "plate"), ("lid", "case")):
        above, below = _in_place(name, upper), _in_place(name, lower)
        assert shared_volume(above.translate((0, 0, -0.1)), below) > 1, upper
        assert shared_volume(above.translate((0, 0, 0.1)), below) == 0, upper


def test_button_presses_switch_before_stop():
    layout = SolidLayout(load_profile("direct-4x4"))
    x, y = layout.cell_points[0]
    cap = place_solid(part("direct-4x4", "diffuser").solid, part("direct-4x4", "diffuser").placements[0])
    grid, plate = _in_place("direct-4x4", "grid"), _in_place("direct-4x4", "plate")
    switch = upright_cylinder((x, y), 3.5, (layout.grid_z, layout.grid_z + s.SWITCH_HEIGHT))  # body and plunger
    assert shared_volume(cap, switch) == pytest.approx(0, abs=1e-3)
    assert shared_volume(cap.translate((0, 0, -s.SWITCH_TRAVEL)), switch) > 3.5
    assert shared_volume(cap.translate((0, 0, -s.BUTTON_TRAVEL + 0.01)), grid) == pytest.approx(0, abs=1e-3)
    assert shared_volume(cap.translate((0, 0, -s.BUTTON_TRAVEL - 0.05)), grid) > 0.1
    lamps = make_box((x - 30, x + 30), (y - 30, y + 30), (layout.grid_z, layout.grid_z + 1 + s.LAMP_HEIGHT))
    assert (
        shared_volume(
            cap.translate((0, 0, -s.BUTTON_TRAVEL)) - make_box((x - 3, x + 3), (y - 3, y + 3), (0, 99)), lamps
        )
        == 0
    )
    assert shared_volume(plate, lamps) == 0


def test_button_pressed_at_corner_closes_switch():
    assert (s.BUTTON_TRAVEL - s.TILE_RISE) / 2 >= s.SWITCH_TRAVEL


def test_sensor_leads_reach_through_plate():
    """The leads leave the sensor halfway down the pocket, need 1 mm to bend, and are soldered 1 mm below the plate."""
    layout = SolidLayout(load_profile("hall-4x4"))
    assert layout.post_z - s.SENSOR_DEPTH / 2 - layout.plate_z + 2 <= 12.7  # minimum leg length of TO-92


def test_tile_is_flush_with_lid():
    grid, tile = (
        _in_place("hall-4x4", "grid"),
        place_solid(part("hall-4x4", "diffuser").solid, part("hall-4x4", "diffuser").placements[0]),
    )
    assert shared_volume(tile.translate((0, 0, -0.05)), grid) > 0.5
    assert tile.bounding_box()[5] == pytest.approx(_in_place("hall-4x4", "lid").bounding_box()[5])


@pytest.mark.parametrize("name", SHIPPED[:4])
def test_strips_are_clear_of_switches_and_sensors(name):
    layout = SolidLayout(load_profile(name))
    plate, grid = _in_place(name, "plate"), _in_place(name, "grid")
    for y in layout.strip_rows:
        strip = make_box(
            (-layout.half_size, layout.half_size),
            (y - s.STRIP_WIDTH / 2, y + s.STRIP_WIDTH / 2),
            (layout.grid_z, layout.grid_z + 1.1),
        )
        assert shared_volume(strip, plate) == pytest.approx(0, abs=1e-6)
        assert shared_volume(strip, grid) == pytest.approx(0, abs=1e-6)
        body = s.SWITCH_SIDE / 2
        near = min(abs(y - middle) for middle in layout.cell_middles)
        assert near - s.STRIP_WIDTH / 2 >= body


@pytest.mark.parametrize(
    ("pitch", "lamps", "strips"),
    [
        (60, 1, [-8.2]),
        (60, 4, [-15, 15]),
        (30, 4, [-8.2, 8.2]),
        (60, 9, [-20, -8.2, 20]),
        (50, 9, [-18.2, -8.2, 16.667]),
    ],
)
def test_strips_are_evenly_spaced_unless_blocked(pitch, lamps, strips):
    assert SolidLayout(board(4, pitch, lamps=lamps)).strip_offsets == pytest.approx(strips, abs=1e-3)


@pytest.mark.parametrize("pitch", [30, 33.3, 39, 45, 60])
@pytest.mark.parametrize("size", [3, 4, 5])
def test_pillar_is_beside_pi_and_clear_of_joints(size, pitch):
    layout = SolidLayout(board(size, pitch))
    if layout.pillar_point:
        x, y = layout.pillar_point
        assert y + 3 < layout.pi_y
        assert not layout.is_split or layout.low_line not in (x, y)
        assert {x, y} <= set(layout.wall_lines)  # under walls, where no leg comes through
    assert layout.pillar_point or size == 3


def test_pi_fits_standoffs_and_window():
    for name in SHIPPED[:4]:
        layout, case = SolidLayout(load_profile(name)), _in_place(name, "case")
        x, y, z = layout.pi_x, layout.pi_y, s.WALL_THICKNESS + s.STANDOFF_HEIGHT
        pi = make_box((x, x + 85), (y, y + 56), (z, z + 1.4))
        room = make_box((x - s.PI_OVERHANG, x + 85), (y, y + 56), (z, layout.plate_z - s.LEDGE_WIDTH))
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
    for profile, count in ((load_profile("hall-4x4"), 28), (with_three_faces(load_profile("hall-4x4")), 84)):
        bought = [(one.part, one.quantity) for one in list_fasteners(profile)]
        assert ("disc magnet 6 x 3 mm, N42", count) in bought
    assert all("magnet" not in one.part for one in list_fasteners(load_profile("direct-4x4")))


# --- Boards larger than a printer's bed ---


@pytest.mark.parametrize(
    ("size", "pitch", "halls"), [pytest.param(5, 45, True, marks=pytest.mark.long), (4, 55, False)]
)
def test_large_board_is_printed_in_quarters(size, pitch, halls):
    profile = board(size, pitch, halls=halls, lamps=4)
    found = printed_parts(profile)
    names = [one.name for one in found]
    assert names[:16] == [f"{part_name}-{k}" for part_name in ("case", "plate", "grid", "lid") for k in (1, 2, 3, 4)]
    assert check_solids(profile, found) == ()
    layout = SolidLayout(profile)
    # Each hole of the whole part is in exactly one quarter: no hole is cut in two.
    assert sum(one.hole_count for one in found if one.name == "lid") == size**2 + len(layout.screw_points)
    # Each joint is bridged by the part above and the one below.
    assert layout.low_line != layout.high_line
    bridges = [at for at in layout.screw_points if layout.low_line < at[0] < layout.high_line]
    assert len(bridges) == 2
    lid = [place_solid(one.solid, one.placements[0]) for one in found if one.name == "lid"]
    case = [place_solid(one.solid, one.placements[0]) for one in found if one.name == "case"]
    for quarters in (lid, case):
        assert shared_volume(quarters[0].translate((0.09, 0, 0)), quarters[1]) == pytest.approx(0, abs=1e-6)
        assert shared_volume(quarters[0].translate((0.11, 0, 0)), quarters[1]) > 0.1
        assert shared_volume(quarters[0].translate((0, 0.09, 0)), quarters[2]) == pytest.approx(0, abs=1e-6)
        assert shared_volume(quarters[0].translate((0, 0.11, 0)), quarters[2]) > 0.1
    for x, y in bridges:
        shaft = upright_cylinder((x, y), 5, (0, 200))
        assert [shared_volume(shaft, one) > 1 for one in lid] == [y < 0, False, y > 0, False]  # the left ones ...
        assert [shared_volume(shaft, one) > 1 for one in case] == [False, y < 0, False, y > 0]  # ... on the right ones


def test_board_that_just_fits_is_printed_whole():
    assert not SolidLayout(board(5, 39.2)).is_split
    assert SolidLayout(board(5, 39.3)).is_split


# --- Every fault has a message ---


def test_too_many_lamps_are_reported():
    (message,) = check_fit(board(4, 33.3, lamps=9))
    wide = message.arguments["least"]
    assert message == Message("printed.fit.strips", lamps=9, pitch=33.3, least=wide)
    assert check_fit(board(4, wide + 0.1, lamps=9)) == ()


def test_missing_room_for_pi_is_reported():
    assert check_fit(board(3, 30)) == ()
    assert Message("printed.fit.pi", size=3, pitch=28) in check_fit(board(3, 28))


def test_oversized_magnets_are_reported():
    assert check_fit(board(4, 33.3, halls=True, lamps=4, magnet=(6, 3), faces=True)) == ()
    message = check_fit(board(4, 33.3, halls=True, lamps=4, magnet=(10, 5), faces=True))[0]
    piece = message.arguments["piece"]
    assert message == Message("printed.fit.magnets", width=10, height=5, pitch=33.3, piece=piece)
    assert 10 < piece < 33.3


def test_sensor_out_of_reach_is_reported():
    profile = load_profile("hall-4x4")
    near = replace(profile, body=replace(profile.body, reach_mm=3.5))
    message = next(check_magnets(near))
    assert (message.id, message.arguments["reach"]) == ("magnets.too_far", 3.5)
    assert message.arguments["distance"] == pytest.approx(3.6, abs=0.05)


def test_thin_wall_is_found():
    lid = part("direct-4x4", "lid")
    thin = replace(
        lid, solid=lid.solid - make_box((-20, 20), (-78.0, -50), (-1, 9)) + make_box((-20, 20), (-79, -77.3), (0, 2))
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
    filled = replace(grid, solid=grid.solid + make_box((x - 20, x + 20), (y - 20, y + 20), (1.2, 3)))
    assert check_part(filled) == (Message("printed.part.holes", part="grid", count=19, wanted=20),)


def test_oversized_part_is_found():
    lid = part("direct-4x4", "lid")
    message = check_part(replace(lid, solid=lid.solid.scale((1.41, 1, 1))))[0]
    assert (message.id, message.arguments["part"]) == ("printed.part.too_large", "lid")
    assert [message.arguments[axis] for axis in "xyz"] == pytest.approx([221.7, 157.2, 2.4], abs=0.05)


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
def test_pico_fits_standoffs_and_window(name):
    """The maker's drawing says: 21 by 51 mm, holes 11.4 by 47 mm apart, socket 1.3 mm beyond the edge."""
    layout, case = SolidLayout(load_profile(name)), built(name)[0]
    solid = place_solid(case.solid, case.placements[0])
    (left, *_), (_, front), *_, (right, back) = layout.pi_holes[0], layout.pi_holes[0], layout.pi_holes[3]
    assert (right - left, back - front) == pytest.approx((11.4, 47.0))
    x, y, floor = (left + right) / 2, back + 2.0 - 51, 6.4
    pico = make_box((x - 10.5, x + 10.5), (y, y + 51), (floor + 0.01, floor + 20))
    assert shared_volume(pico, solid) == pytest.approx(0.0, abs=1e-6)
    for hole_x, hole_y in layout.pi_holes:
        pad = make_box((hole_x - 2.5, hole_x + 2.5), (hole_y - 2.5, hole_y + 2.5), (floor - 0.2, floor - 0.1))
        assert shared_volume(pad, solid) > 0.5 * pad.volume()
    assert 1.3 < layout.case_inside - (y + 51) < 3  # the socket does not touch the wall
    plug = make_box((x - 5.5, x + 5.5), (layout.case_inside - 0.5, layout.case_edge + 5), (floor - 0.5, floor + 6.5))
    assert shared_volume(plug, solid) == pytest.approx(0.0, abs=1e-6)


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


def test_oversized_magnet_in_plain_piece_is_reported():
    assert "printed.fit.magnet" in {message.id for message in check_fit(board(4, 22, halls=True, magnet=(10, 5)))}
    assert check_fit(board(4, 33.3, halls=True, magnet=(10, 5))) == ()


def test_overhang_is_found():
    tile = part("hall-4x4", "diffuser")
    _, _, _, _, _, high = tile.solid.bounding_box()
    over = replace(tile, solid=tile.solid.rotate((180, 0, 0)).translate((0, 0, high)))
    (message,) = check_part(over)
    place = {axis: pytest.approx(value, abs=0.01) for axis, value in {"x": 0, "y": 0, "z": 2.3}.items()}
    assert message == Message("printed.part.overhang", part="diffuser", most=14, **place)


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
    corner_x, corner_y = layout.carrier_corner
    made = place_parts(make_carrier(load_profile(name), make_circuit(load_profile(name))))
    # y runs towards the front on the carrier.
    screws = [(corner_x + x, corner_y + made.height - y) for x, y in made.hole_places()]
    assert sorted(screws) == [pytest.approx(point) for point in sorted(layout.carrier_holes)]
    for x, y in screws:
        shaft = upright_cylinder(
            (x, y), s.STANDOFF_HOLE - 0.2, (s.WALL_THICKNESS, s.WALL_THICKNESS + s.STANDOFF_HEIGHT)
        )
        assert shared_volume(shaft, placed[0][1]) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("pitch", [30, 33.3, 38, 45, 52, 60])
@pytest.mark.parametrize("size", [3, 4, 5])
def test_case_has_standoffs_only_with_room_for_carrier(size, pitch):
    profile = board(size, pitch)
    layout = SolidLayout(profile)
    if layout.carrier_corner is None:
        assert layout.carrier_holes == []
        assert size * pitch < 133 or layout.is_split
    elif not check_fit(profile):
        assert check_room(layout, _case_of(profile)[1:]) == ()
        assert find_clashes(list_bought_parts(layout)) == ()


def test_obstructed_or_unsupported_carrier_is_found():
    layout, *placed = _case_of(load_profile("hall-4x4"))
    column = ("column", upright_cylinder((0, 0), 6, (s.WALL_THICKNESS, layout.plate_z)))
    kinds = [message.id for message in check_room(layout, [*placed, column])]
    assert kinds == ["printed.assembly.clash"]
    x, y = layout.carrier_corner
    layout.carrier_corner = x + 10, y
    assert "printed.assembly.not_borne" in [message.id for message in check_room(layout, placed)]
