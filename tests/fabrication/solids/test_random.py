"""Random boards: either all parts are correct, or a message explains why there are none."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pond_hw.fabrication.solids.mesh import to_stl
from pond_hw.fabrication.solids.print_checks import check_fit, check_solids
from pond_hw.fabrication.solids.printed import printed_parts
from pond_hw.profile.row_boards import ROW_SIZES
from tests.fabrication.solids.boards import board, count_bodies, count_holes, read_stl
from tests.messages.says import text

pytestmark = pytest.mark.slow

PROFILES = st.builds(
    board,
    size=st.sampled_from(ROW_SIZES),
    halls=st.booleans(),
    faces=st.booleans(),
    key=st.booleans(),
    buzzer=st.booleans(),
    own=st.booleans(),
    pico=st.booleans(),
    magnet=st.sampled_from([(6.0, 3.0), (5.0, 2.0), (4.0, 1.5), (8.0, 3.0), (10.0, 5.0)]),
)


def check_board(profile):
    """Check all parts with our rules and with another library. Skip boards whose parts are reported not to fit."""
    if misfits := check_fit(profile):
        assert all(text(message).endswith(".") for message in misfits)
        assert {message.arguments["width"] for message in misfits} == {profile.body.magnet_size_mm[0]}
        return
    found = printed_parts(profile)
    assert check_solids(profile, found) == ()
    for one in found:
        mesh = read_stl(to_stl(one.solid))
        assert mesh.is_watertight
        assert (count_bodies(mesh), count_holes(mesh)) == (1 + one.cavity_count, one.hole_count), one.name


@settings(max_examples=1, deadline=None, derandomize=True, database=None)
@given(PROFILES.filter(lambda profile: not check_fit(profile)))
def test_few_random_boards_are_correct(profile):
    check_board(profile)


@pytest.mark.long
@settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(PROFILES)
def test_many_random_boards_are_correct(profile):
    check_board(profile)


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(PROFILES)
def test_misfits_are_reported_and_rare(profile):
    has_three = profile.sensing.turned_pieces and profile.sensing.kind == "hall"
    is_large = has_three and profile.body.magnet_size_mm == (10.0, 5.0)
    assert len(check_fit(profile)) == is_large
