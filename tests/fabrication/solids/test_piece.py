"""Pieces with three faces, followed by plain pieces."""

import math

import numpy as np
import pytest

from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.fabrication.solids.magnet_field import radial_field
from pond_hw.fabrication.solids.mesh import solid_triangles, volume_and_centre
from pond_hw.fabrication.solids.piece import (
    egg_mark,
    frog_mark,
    make_piece,
    piece_magnets,
    piece_outline,
    piece_placement,
    place_disc,
    tadpole_mark,
)
from pond_hw.fabrication.solids.print_checks import piece_stands, shared_volume
from pond_hw.fabrication.solids.shapes import make_box, make_prism, place_solid
from pond_hw.profile import load_profile
from tests.conftest import long_after_first
from tests.fabrication.solids.boards import PIECES, axial_field, with_three_faces

pytestmark = pytest.mark.slow


@pytest.fixture(params=long_after_first(PIECES[::-1]))
def profile(request):
    return with_three_faces(load_profile(request.param))


def test_cross_section_is_equiangular_hexagon(profile):
    layout = SolidLayout(profile)
    corners = piece_outline(layout, 0)
    sides = [math.dist(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    assert sides == pytest.approx([layout.foot_width, layout.flat_width] * 3)
    for i in range(6):
        (ax, ay), (bx, by), (cx, cy) = (corners[(i + k) % 6] for k in range(3))
        turn = math.atan2(cy - by, cx - bx) - math.atan2(by - ay, bx - ax)
        assert math.degrees(turn) % 360 == pytest.approx(60)


def test_piece_stands_firmly_on_each_foot(profile):
    found = piece_stands(profile)
    assert [stand.mark for stand in found] == ["egg", "tadpole", "frog"]
    for stand in found:
        assert stand.tip_angle > 35
        assert stand.mark_height > 0.25
        assert 8 < stand.grams < 13


@pytest.mark.parametrize("foot", [0, 1, 2])
def test_only_the_foot_touches_the_table(profile, foot):
    layout = SolidLayout(profile)
    solid = place_solid(make_piece(layout), piece_placement(layout, foot, (0, 0, 0)))
    assert solid.bounding_box()[2] == pytest.approx(0, abs=1e-6)
    low = solid.slice(0.01) if solid.slice(0.0).is_empty() else solid.slice(1e-6)
    assert low.area() == pytest.approx(layout.foot_width * layout.piece_length, rel=0.01)


def test_rolling_shows_egg_tadpole_and_frog_in_order(profile):
    """A piece rolls by a third of a turn from foot to foot, always in the same direction."""
    layout = SolidLayout(profile)
    rolls = []
    for foot in (0, 1, 2):
        now, then = piece_placement(layout, foot, (0, 0, 0)), piece_placement(layout, (foot + 1) % 3, (0, 0, 0))
        # Upward direction now (x = 0, y = 0, z = 1 of the board), and after the roll.
        up = [now[2][k] for k in range(3)]
        after = [sum(then[i][k] * up[k] for k in range(3)) for i in range(3)]
        rolls.append(round(math.degrees(math.atan2(after[1], after[2]))))
    assert rolls in ([120] * 3, [-120] * 3)


def test_marks_have_distinct_shapes(profile):
    """Halfway up, a mark is one round island, one long island, or two eyes and a body with legs."""
    layout = SolidLayout(profile)
    body = make_prism(piece_outline(layout, 0), (0, layout.piece_length))
    islands = {}
    for name, draw in (("egg", egg_mark), ("tadpole", tadpole_mark), ("frog", frog_mark)):
        raised = draw(layout) - body
        high = raised.bounding_box()[4] - layout.flat_in
        assert high >= 0.8, name
        cut = raised.rotate((90, 0, 0)).slice(layout.flat_in + 0.5)  # half-way up
        islands[name] = sorted((b[3] - b[1]) / (b[2] - b[0]) for b in (one.bounds() for one in cut.decompose()))
    assert len(islands["egg"]) == 1
    assert islands["egg"][0] < 1.6
    assert len(islands["tadpole"]) == 1
    assert islands["tadpole"][0] > 2.3
    assert len(islands["frog"]) == 3  # two eyes, and a body with four legs


@pytest.mark.parametrize(("foot", "islands"), [(0, 1), (1, 1), (2, 3)])
def test_mark_on_top_matches_foot(profile, foot, islands):
    layout = SolidLayout(profile)
    top = place_solid(make_piece(layout), piece_placement(layout, foot, (0, 0, 0))).slice(
        layout.foot_in + layout.flat_in + 0.5
    )
    found = [one.bounds() for one in top.decompose()]
    assert len(found) == islands
    x0, _, x1, _ = found[0]
    assert (x1 - x0 > 9) == (foot == 1)  # only the tadpole is one long mark


@pytest.mark.parametrize("foot", [0, 1, 2])
def test_lit_border_is_visible_around_piece(profile, foot):
    layout = SolidLayout(profile)
    x0, y0, _, x1, y1, _ = place_solid(make_piece(layout), piece_placement(layout, foot, (0, 0, 0))).bounding_box()
    assert (layout.face_side - (x1 - x0)) / 2 >= s.LIT_BORDER
    assert (layout.face_side - (y1 - y0)) / 2 >= s.LIT_BORDER


def test_each_foot_has_a_magnet_with_same_pole(profile):
    layout = SolidLayout(profile)
    body = make_piece(layout)
    wide, high = layout.magnet_size
    for foot, magnet in enumerate(piece_magnets(layout)):
        place = piece_placement(layout, foot, (0, 0, 0))
        x, y, z = (sum(row[k] * magnet.middle[k] for k in range(3)) + row[3] for row in place)
        assert (x, y) == pytest.approx((0, 0), abs=1e-9)  # over the middle of the cell
        assert z - high / 2 == pytest.approx(s.SKIN_THICKNESS + s.PRESS_GAP)
        down = [sum(row[k] * magnet.outward[k] for k in range(3)) for row in place]
        assert down == pytest.approx([0, 0, -1], abs=1e-9)
        # The magnet goes in during the pause, and fits without touching.
        solid = place_solid(body.trim_by_plane((0, 0, -1), -layout.pause_z), place)
        for pushed in range(0, 12, 2):
            room = make_box(
                (x - wide / 2 + pushed, x + wide / 2 + pushed),
                (y - wide / 2, y + wide / 2),
                (z - high / 2, z + high / 2),
            )
            disc = room ^ _disc(x + pushed, y, wide)
            assert shared_volume(disc, solid) == pytest.approx(0, abs=1e-3), pushed


def test_magnet_slot_has_no_overhang(profile):
    """At the pause, no face of a slot points down. Only the marks have undersides, which are small."""
    layout = SolidLayout(profile)
    found = solid_triangles(make_piece(layout).trim_by_plane((0, 0, -1), 0.01 - layout.pause_z))
    inner = found[(found[:, :, 2].max(axis=1) > 0.01)]
    for a, b, c in inner.tolist():
        u, v = [q - p for p, q in zip(a, b, strict=True)], [q - p for p, q in zip(a, c, strict=True)]
        nz = u[0] * v[1] - u[1] * v[0]
        long = math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], nz)
        if long > 1e-6 and nz / long < -0.71:  # steeper than 45 degrees
            far = max(math.hypot(*p[:2]) for p in (a, b, c))
            assert far > layout.flat_in - 0.01


# --- Field at the sensor ---


def test_single_magnet_field_matches_formula():
    """Values calculated by hand for a 6 x 3 mm N42 magnet at 1.30 T, at its face and 8 mm away."""
    assert 1300 * axial_field((6, 3), 0) == pytest.approx(1300 / 2 * 3 / math.sqrt(9 + 9))
    assert 1300 * axial_field((6, 3), 8) == pytest.approx(18.5, abs=0.1)
    for away in (5.0, 8.0, 20.0):
        across, along = radial_field((6, 3), np.array([0.0]), np.array([away + 1.5]))
        assert along == pytest.approx(axial_field((6, 3), away), rel=0.02)
        assert across == pytest.approx(0, abs=1e-12)


def test_distant_field_is_a_dipole():
    moment = math.pi * 9 * 3 / (4 * math.pi)  # B_r V / 4 pi, in mm³
    across, along = radial_field((6, 3), np.array([40.0]), np.array([0.0]))
    assert along == pytest.approx(-moment / 40**3, rel=0.02)
    assert across == pytest.approx(0, abs=1e-9)
    _, along = radial_field((6, 3), np.array([0.0]), np.array([40.0]))
    assert along == pytest.approx(2 * moment / 40**3, rel=0.02)


def test_volume_and_centre_of_block():
    volume, middle = volume_and_centre(make_box((0, 2), (0, 4), (1, 4)))
    assert volume == pytest.approx(24)
    assert middle == pytest.approx((1, 2, 2.5))


def _disc(x, y, wide):
    from manifold3d import Manifold

    return Manifold.cylinder(50, wide / 2, wide / 2, 64, center=True).translate((x, y, 0))


# --- Plain pieces ---


@pytest.fixture(params=long_after_first(PIECES[::-1]))
def plain(request):
    return load_profile(request.param)


def test_plain_piece_stands_only_on_its_foot(plain):
    layout, body = SolidLayout(plain), make_piece(SolidLayout(plain))
    (stand,) = piece_stands(plain)
    assert (stand.mark, stand.tip_angle > 60, 4 < stand.grams < 6) == ("plain", True, True)
    assert body.slice(1e-6).area() == pytest.approx(math.pi / 4 * layout.foot_width**2, rel=0.02)
    top = body.bounding_box()[5]
    assert 7 < top < 12
    assert body.slice(top - 0.2).area() < body.slice(1e-6).area() / 10  # upside down it would rock on its dome


def test_lit_border_is_visible_around_plain_piece(plain):
    layout = SolidLayout(plain)
    x0, y0, _, x1, y1, _ = make_piece(layout).bounding_box()
    assert (layout.face_side - (x1 - x0)) / 2 >= s.LIT_BORDER - 1e-9
    assert (layout.face_side - (y1 - y0)) / 2 >= s.LIT_BORDER - 1e-9


def test_plain_piece_magnet_is_inserted_at_the_pause(plain):
    layout = SolidLayout(plain)
    (magnet,) = piece_magnets(layout)
    wide, high = layout.magnet_size
    assert magnet.outward == (0, 0, -1)
    assert magnet.middle[2] - high / 2 == pytest.approx(s.SKIN_THICKNESS + s.PRESS_GAP)
    assert magnet.middle[2] + high / 2 < layout.pause_z
    begun = make_piece(layout).trim_by_plane((0, 0, -1), -layout.pause_z)
    for lifted in range(0, 12, 2):
        assert shared_volume(place_disc(magnet, wide, high).translate((0, 0, lifted)), begun) < 1e-6
