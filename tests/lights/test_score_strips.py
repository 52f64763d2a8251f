"""A strip of lamps at each side of the board, one lamp for each piece scored."""

import pytest

from pond_hw.lights import render_scene
from pond_hw.lights.palette import OWNER_COLOUR
from pond_hw.rules import DARK, LIGHT
from tests.lights.scenes import MIDDLE, scene


def strips(scored, target, strip):
    """For each side, how bright its lamps are, as a share of the brightest."""
    board = scene(MIDDLE)._replace(scored=scored, target_score=target)
    picture = render_scene(board, 1.0, 1, strip)
    assert picture[: 16 * 3] == render_scene(board, 1.0, 1)
    lamps = [picture[i : i + 3] for i in range(16 * 3, len(picture), 3)]
    return lamps[:strip], lamps[strip:]


def lit(lamps):
    return sum(max(lamp) > 0 for lamp in lamps)


@pytest.mark.parametrize("scored", range(11))
def test_one_lamp_for_each_point_in_the_owners_hue_from_the_first_on(scored):
    light, dark = strips((scored, 10 - scored), 10, 10)
    assert (lit(light), lit(dark)) == (scored, 10 - scored)
    for lamps, side in ((light, LIGHT), (dark, DARK)):
        points = lit(lamps)
        assert all(max(lamp) == 0 for lamp in lamps[points:])
        for lamp in lamps[:points]:
            share = max(lamp)
            assert lamp == pytest.approx([part * share for part in OWNER_COLOUR[side]])


def test_a_strip_with_more_lamps_than_points_to_win_keeps_the_rest_dark():
    assert lit(strips((7, 0), 7, 10)[0]) == 7


def test_a_shorter_strip_shares_the_points_out_and_is_full_when_they_win():
    light, dark = strips((5, 10), 10, 4)
    assert lit(light) == 2
    assert max(strips((1, 0), 10, 4)[0][0]) == pytest.approx(0.4 * max(strips((10, 0), 10, 4)[0][0]))
    assert lit(dark) == 4
    assert len({max(lamp) for lamp in dark}) == 1


def test_more_than_the_target_is_no_more_than_full():
    assert strips((12, 0), 10, 10)[0] == strips((10, 0), 10, 10)[0]
