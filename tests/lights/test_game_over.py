"""After the game a wave tells the winner, by its hue, and without hue by where it comes from."""

import pytest

from pond_hw.lights import render_scene
from pond_hw.lights.palette import OWNER_COLOUR, WHITE
from pond_hw.rules import DARK, LIGHT
from tests.conftest import each, first_now_rest_long
from tests.lights.eyes import grey_cells
from tests.lights.scenes import FULL, scene

EMPTY = "\n".join([". . . ."] * 4)
ALL_LIGHT = "T F E T\nE F E F\nT T E F\nE T F E"
ALL_DARK = ALL_LIGHT.lower()
SMALL_POND = ".x .x .x .x .x\nT f E . .x\n. t . T .x\ne E F . .x\n. . t T .x"

FIRST, EVERY = 1.6, 6.0  # seconds
FROM = {
    LIGHT: ["1", "2", "3", "4"],
    DARK: ["4", "3", "2", "1"],
    "draw": ["14", "23"],
}


@pytest.mark.slow
@pytest.mark.parametrize("lamps", first_now_rest_long([4, 1, 16]))
@each("drawn", [EMPTY, FULL, ALL_LIGHT, ALL_DARK, SMALL_POND])
@each("winner", [LIGHT, DARK, "draw"])
def test_without_hue_the_winner_is_told_by_where_the_wave_comes_from(winner, drawn, lamps):
    assert order(scene(drawn, over=winner), lamps) == FROM[winner]


@each(("winner", "way"), [(LIGHT, 1), (DARK, -1)])
def test_inside_a_cell_the_wave_runs_the_same_way(winner, way):
    moments = [grey_cells(scene(EMPTY, over=winner), FIRST + i / 30, 16) for i in range(90)]
    upwards = [(cell, lamp) for cell in ("a1", "a2", "a3", "a4") for lamp in (12, 8, 4, 0)]
    traces = [[moment[cell][lamp] for moment in moments] for cell, lamp in upwards]
    crests = [trace.index(max(trace)) for trace in traces]
    assert crests == sorted(crests)[::way]
    assert len(set(crests)) > 12


@each(("winner", "hue"), [(LIGHT, OWNER_COLOUR[LIGHT]), (DARK, OWNER_COLOUR[DARK]), ("draw", WHITE)])
def test_the_crest_is_in_the_winners_hue(winner, hue):
    over = scene(EMPTY, over=winner)
    crests = [render_scene(over, FIRST + i / 30, 1)[:3] for i in range(90)]
    assert max(crests, key=sum) == pytest.approx(hue, abs=0.02)


@pytest.mark.slow
@each("winner", [LIGHT, DARK, "draw"])
def test_the_wave_waits_for_the_last_turn_to_be_played_out_and_comes_back_every_six_seconds(winner):
    over, still = scene(FULL, over=winner, since=100.0), scene(FULL, to_move=None)
    assert starts(over, still, 100.0, seconds=18) == pytest.approx([101.7, 107.7, 113.7], abs=0.15)
    assert render_scene(over, 100 + FIRST - 0.01, 4) == render_scene(still, 100 + FIRST - 0.01, 4)


def test_the_pieces_can_be_read_most_of_the_time():
    over, still = scene(FULL, over=LIGHT), scene(FULL, to_move=None)
    moments = [FIRST + i / 20 for i in range(120)]
    seen = [(grey_cells(over, now, 4), grey_cells(still, now, 4)) for now in moments]
    for cell in over.cell_views:
        changed = sum(now[cell] != unmoved[cell] for now, unmoved in seen)
        assert 0 < changed < len(moments) / 4


def test_a_wave_stays_inside_the_pond():
    over = scene(SMALL_POND, over=DARK)
    for i in range(120):
        seen = grey_cells(over, FIRST + i / 30, 4)
        assert not any(any(seen[cell]) for cell in ("a5", "e5", "e1"))


def order(over, lamps):
    """The rows in the order in which the wave gets to them, rows that it gets to at the same time together."""
    still = over._replace(outcome=None)
    reached = {}
    for i in range(90):
        now = FIRST + i / 30
        seen, unmoved = grey_cells(over, now, lamps), grey_cells(still, now, lamps)
        for cell, lights in seen.items():
            if max(abs(a - b) for a, b in zip(lights, unmoved[cell], strict=True)) > 0.3:
                reached.setdefault(cell[1], i)
    instants = sorted(set(reached.values()))
    return ["".join(sorted(row for row in reached if reached[row] == instant)) for instant in instants]


def starts(over, still, since, seconds):
    """The instants at which the board begins to differ from one that stands still."""
    instants = [since + i / 30 for i in range(int(seconds * 30))]
    differs = [render_scene(over, now, 1) != render_scene(still, now, 1) for now in instants]
    return [now for now, was, is_ in zip(instants[1:], differs, differs[1:], strict=False) if is_ and not was]
