"""Places of a piece within the rim of a tile, the fields at the sensors, and the forces between pieces."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pond_hw.fabrication.build_folder import check_magnets
from pond_hw.fabrication.part_catalogue import HALL_SENSITIVITY
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.magnet_field import (
    find_piece_force,
    find_sensor_field,
    piece_field,
    sensor_distance,
    sensor_play,
)
from pond_hw.fabrication.solids.piece import make_piece, name_feet, piece_placement
from pond_hw.fabrication.solids.print_checks import check_rim, shared_volume
from pond_hw.fabrication.solids.rim import PLACE_STEP, list_places, make_rim
from pond_hw.fabrication.solids.shapes import make_prism, place_solid, square_block
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.profile import load_profile
from tests.conftest import long_after_first
from tests.fabrication.solids.boards import axial_field, board, with_three_faces

pytestmark = pytest.mark.slow


@pytest.fixture(params=long_after_first(["hall-5x5", "turned hall-5x5", "hall-4x4", "turned hall-4x4"], 2))
def profile(request):
    profile = load_profile(request.param.removeprefix("turned "))
    return with_three_faces(profile) if request.param.startswith("turned") else profile


def field_at(layout, x, y, foot=0):
    """Return the field in mT of the weakest magnets at a sensor, x and y from the piece's middle."""
    return 1280 * float(piece_field(layout, foot, np.array([float(x)]), np.array([float(y)]))[0])


def test_sensor_detects_only_its_own_piece_at_every_place(profile):
    field = find_sensor_field(SolidLayout(profile))
    assert field.own_field > 8  # a DRV5033FA needs 6.8 mT at most
    assert field.neighbour_field < 0.5
    assert list(check_magnets(profile)) == []


def test_first_board_page_gives_these_fields():
    """The claims about magnets in the checks for the first builder are calculated here."""
    layout = SolidLayout(load_profile("owner-4x4"))
    field, pull = find_sensor_field(layout), find_piece_force(layout)
    counts = HALL_SENSITIVITY * 1023 / 3300
    weakest = min(field.own_field, find_sensor_field(SolidLayout(load_profile("hall-5x5"))).own_field)
    english = get_catalogue().text
    linear, digital, neighbours = (
        english(Message(f"first_board.{name}", board="", budget="", dark=""))
        for name in ("linear_magnets.see", "digital_magnets.see", "neighbours.refutes")
    )
    middle = 1.015 * field_at(layout, 0, 0)  # between the weakest and the strongest N42 magnets
    assert f"About {5 * round(middle * counts / 5)} counts" in linear
    assert f"at least {int(weakest * counts)} at the rim" in linear
    assert f"{middle:.0f} mT in the middle and {weakest:.0f} mT at the rim" in digital
    assert f"({field.neighbour_field:.1f} mT)" in neighbours
    assert f"({pull.force:.0f} mN)" in neighbours


def test_weakest_field_is_at_the_place_and_sensor_farthest_apart(profile):
    """The place that the model names has that field, and no other place with any foot has less."""
    layout = SolidLayout(profile)
    field, play = find_sensor_field(layout), sensor_play(layout)
    x, y, turn = np.array([*list_places(layout), field.place]).T
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    fields = []
    for i, j in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        u, v = i * play[0] - x, j * play[1] - y
        places = cosine * u + sine * v, cosine * v - sine * u
        fields += [1280 * piece_field(layout, foot, *places) for foot in range(len(name_feet(layout)))]
    assert np.min(fields) == pytest.approx(field.own_field, abs=0.03)
    assert min(fields_there[-1] for fields_there in fields) == pytest.approx(field.own_field, abs=0.03)


def test_sensor_is_9_5_mm_from_magnet():
    """7.6 mm to the tile, less 0.6 mm to the element, 1.2 mm of tile, 1.0 mm of piece, 0.3 mm of play in the slot."""
    assert sensor_distance() == pytest.approx(7.6 - 0.6 + 1.2 + 1.0 + 0.3)
    layout = SolidLayout(load_profile("hall-4x4"))
    assert layout.tile_z - layout.grid_z == pytest.approx(7.6)
    assert layout.floor_z - layout.tile_z == pytest.approx(1.2)
    assert field_at(layout, 0, 0) == pytest.approx(1280 * axial_field((8, 3), 9.5), rel=0.01)


def test_other_magnets_weaken_field_by_less_than_a_quarter():
    layout = SolidLayout(with_three_faces(load_profile("hall-4x4")))
    alone = 1280 * axial_field(layout.magnet_size, sensor_distance())
    assert 0.75 * alone < field_at(layout, 0, 0) < alone


def test_all_feet_give_the_same_field():
    layout = SolidLayout(with_three_faces(load_profile("hall-4x4")))
    for x, y in ((0, 0), (2, 1), (-1, 3), (33, 0)):
        fields = [field_at(layout, x, y, foot) for foot in range(3)]
        assert fields == pytest.approx([fields[0]] * 3, abs=0.01)


# --- The rim ---


def test_piece_plays_half_a_mm_within_rim(profile):
    """Moved by 0.45 mm, a piece touches nothing. Moved by 0.8 mm along the row or across it, each foot hits the rim."""
    layout = SolidLayout(profile)
    rim = make_prism(make_rim(layout), (0, s.RIM_HEIGHT))
    for foot in range(len(name_feet(layout))):
        standing = place_solid(make_piece(layout), piece_placement(layout, foot, (0, 0, 0)))
        for turn in (0, 90, 180, 270):
            turned = standing.rotate((0, 0, turn))
            for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                assert shared_volume(turned.translate((0.45 * x, 0.45 * y, 0)), rim) == pytest.approx(0, abs=1e-6)
                assert shared_volume(turned.translate((0.8 * x, 0.8 * y, 0)), rim) > 0.05


def test_listed_places_are_those_where_solids_fit(profile):
    """Every place where the solids don't touch is listed, within a step; at listed places they hardly touch."""
    layout = SolidLayout(profile)
    rim = make_prism(make_rim(layout), (0, s.RIM_HEIGHT))
    lid = square_block(40, (0, 2.7)) - square_block(layout.lid_opening, (-1, 4))
    standing = place_solid(make_piece(layout), piece_placement(layout, 0, (0, 0, 0)))
    places = {(round(x, 1), round(y, 1), turn) for x, y, turn in list_places(layout)}
    assert (0, 0, 0) in places
    for turn in (0, 2, 45, 90) if layout.turned_pieces else (0,):
        for x in np.arange(-8, 9) * 2 * PLACE_STEP:
            for y in np.arange(-8, 9) * 2 * PLACE_STEP:
                moved = standing.rotate((0, 0, turn)).translate((x, y, 0))
                if shared_volume(moved, rim) + shared_volume(moved, lid) < 1e-6:
                    assert (round(x, 1), round(y, 1), turn) in places


def test_piece_on_the_rim_leans_visibly(profile):
    """A piece that stands on a bar or on an angle with one edge is tilted by 4 degrees or more."""
    layout = SolidLayout(profile)
    lean = math.degrees(math.atan2(s.RIM_HEIGHT, layout.foot_width))
    assert lean > 4 - 0.1


# --- Neighbouring pieces ---


def test_neighbours_do_not_move_each_other(profile):
    pull = find_piece_force(SolidLayout(profile))
    assert 1 < pull.force < pull.friction


def test_force_between_plain_pieces_matches_formula():
    """Two 8 x 3 mm magnets side by side, 1.32 T: 3 mu0 m^2 / (4 pi d^4)."""
    layout = SolidLayout(load_profile("hall-4x4"))
    moment = 1.32 * math.pi * 16e-6 * 3e-3 / (4e-7 * math.pi)
    away = (layout.pitch - 2 * (0.6 + 0.3)) / 1000  # within the rims, in steps, and with the play of the tiles
    assert find_piece_force(layout).force == pytest.approx(1000 * 3e-7 * moment**2 / away**4, rel=1e-6)


# --- Planted faults ---


def ids(profile):
    return [message.id for message in check_magnets(profile)]


def test_missing_rim_is_found(monkeypatch):
    monkeypatch.setattr("pond_hw.fabrication.solids.rim.rim_boxes", lambda layout: [])
    assert "magnets.pieces_move" in ids(load_profile("hall-4x4"))
    assert "magnets.too_weak" in ids(with_three_faces(load_profile("hall-4x4")))


@pytest.mark.parametrize(
    ("faces", "play", "wanted"), [(False, 1.6, "magnets.pieces_move"), (True, 3.0, "magnets.too_weak")]
)
def test_wide_rim_is_found(faces, play, wanted, monkeypatch):
    monkeypatch.setattr(s, "RIM_PLAY", play)
    assert wanted in ids(board(halls=True, magnet=(8, 2) if faces else (8, 3), faces=faces))


@pytest.mark.parametrize("faces", [False, True])
def test_narrow_rim_is_found(faces, monkeypatch):
    monkeypatch.setattr(s, "RIM_PLAY", -0.1)
    found = {message.id for message in check_rim(SolidLayout(board(halls=True, faces=faces)))}
    assert found == ({f"printed.rim.{mark}" for mark in ("egg", "tadpole", "frog")} if faces else {"printed.rim.plain"})


def test_small_magnet_is_found():
    (message,) = check_magnets(board(halls=True, magnet=(5, 2)))
    assert (message.id, message.arguments["needed"]) == ("magnets.too_weak", 7)
    assert message.arguments["field"] == pytest.approx(5.1, abs=0.1)


@pytest.mark.parametrize(("faces", "height"), [(False, 13.0), (True, 9.0)])
def test_deep_sensor_is_found(faces, height, monkeypatch):
    monkeypatch.setattr(s, "TILE_HEIGHT", height)
    assert ids(board(halls=True, magnet=(8, 2) if faces else (8, 3), faces=faces)) == ["magnets.too_weak"]


def test_neighbour_that_reaches_next_sensor_is_found():
    """A linear sensor that reacts to 10 counts, about 1 mT, is too sensitive."""
    profile = load_profile("hall-5x5")
    wiring = replace(profile.sensing.wiring, on=10)
    assert ids(replace(profile, sensing=replace(profile.sensing, wiring=wiring))) == ["magnets.too_strong"]


def test_large_magnets_in_turned_pieces_move_neighbours():
    """With three magnets of 8 x 3 mm, pieces would move each other; 8 x 2 mm is their default."""
    (message,) = check_magnets(board(halls=True, magnet=(8, 3), faces=True))
    assert message == Message(
        "magnets.pieces_move", force=pytest.approx(41, abs=1), friction=pytest.approx(34.3, abs=1)
    )
    assert load_profile("hall-4x4").body.magnet_size_mm == (8, 3)
