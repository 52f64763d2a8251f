"""No combination of signs flashes more than three times in any second (WCAG 2, criterion 2.3.1)."""

import pytest

from pond_hw.board import Frame
from pond_hw.lights import FRAME_SECONDS, CurrentLimiter, render_scene
from pond_hw.lights.render import SCORED_SECONDS, WAVE_PERIOD_SECONDS
from pond_hw.rules import DARK, LIGHT
from pond_hw.session import ConfirmWindow, ShownRefusal, SignColour
from tests.conftest import long_after_first
from tests.lights.perception import GAMMA, grey, grey_cells, max_flashes
from tests.lights.scenes import FULL, HINTED, MENU, MIDDLE, PENDING, TASKS, TO_REPAIR, scene

pytestmark = pytest.mark.slow

CHOOSING = """
    T   t   .t  .t!
    .t  Fc  E   f
    .   .t  F   .
    T   e   .t  Tc
"""

MINUTE = [i * FRAME_SECONDS for i in range(1800)]
TWELVE_SECONDS = MINUTE[:360]  # every pattern repeats in this time


@pytest.mark.parametrize(
    "instants", [MINUTE[:390], pytest.param(MINUTE, marks=pytest.mark.long)], ids=["one full cycle", "a minute"]
)
@pytest.mark.parametrize("lamps", [1, 4])
@pytest.mark.parametrize("drawn", [MIDDLE, CHOOSING, FULL, TASKS, TO_REPAIR, MENU, HINTED])
def test_scenes_flash_at_most_three_times_a_second(drawn, lamps, instants):
    assert worst(lambda now: scene(drawn), instants, lamps) <= 3


@pytest.mark.parametrize("lamps", [1, 4])
@pytest.mark.parametrize(
    ("drawn", "sign"),
    [
        (FULL, {"has_trouble": True}),
        (FULL, {"is_unsaved": True}),
        (TASKS, {"is_unsaved": True}),
        (MIDDLE, {"asked_cell": "b2", "asked_colour": SignColour.WHITE}),
    ],
)
def test_sign_on_whole_board_flashes_safely(drawn, sign, lamps):
    board = scene(drawn)._replace(**sign)
    assert worst(lambda now: board, MINUTE[:390], lamps) <= 3


@pytest.mark.parametrize("lamps", [1, 4])
@pytest.mark.parametrize("winner", long_after_first(["draw", LIGHT, DARK]))
def test_waves_after_the_game_flash_safely(winner, lamps):
    for late in range(4 if lamps == 1 else 1):  # a wave may start at any phase of a single lamp's rhythm
        over = scene(FULL, over=winner, since=late * 0.5 - SCORED_SECONDS)
        assert worst(lambda now, over=over: over, MINUTE[: int(2 * WAVE_PERIOD_SECONDS / FRAME_SECONDS)], lamps) <= 3


@pytest.mark.parametrize("pause", long_after_first([0.36, 0.45, 0.07, 0.2, 0.3, 0.4, 0.55, 0.7, 1.1], 2))
def test_rapid_refusals_flash_safely(pause):
    def repeated_refusals(now):
        return scene(FULL, wrong=ShownRefusal("b2", now // pause * pause, int(now // pause)))

    assert worst(repeated_refusals, MINUTE[:360], 1) <= 3


@pytest.mark.parametrize("cell", long_after_first(["d1", "b1", "c1"]))
def test_refusal_during_any_rhythm_flashes_safely(cell):
    for i in range(20):
        wrong = ShownRefusal(cell, 1 + i * 0.1)
        assert worst(lambda now, wrong=wrong: scene(FULL, wrong=wrong), MINUTE[:130], 1) <= 3


def test_budget_dimming_flashes_safely():
    board, limiter, frame, shown = scene(CHOOSING), CurrentLimiter(budget=300), Frame.dark_frame(4, 4), []
    for now in MINUTE[:390]:
        frame = limiter.limit_frame(render_scene(board, now, 4), frame)
        shown.append(grey([(byte / 255) ** (1 / GAMMA) for byte in frame.data]))
    lamps = set(zip(*shown[30:], strict=True))  # without the first second, in which all lamps turn on
    assert max(max_flashes(lamp, MINUTE[30:390]) for lamp in lamps) <= 3


@pytest.mark.parametrize("lamps", [1, 4, pytest.param(16, marks=pytest.mark.long)])
@pytest.mark.parametrize("pause", long_after_first([0.36, 1.1, 0.1, 0.3, 0.45, 0.7, 2.3], 2))
def test_restarted_countdowns_flash_safely(pause, lamps):
    for seconds in (0.5, 3.0, 6.0):

        def restarted_countdown(now, seconds=seconds):
            since = now // pause * pause
            return scene(PENDING, hold=ConfirmWindow(since, since + seconds))

        assert worst(restarted_countdown, MINUTE[:240], lamps) <= 3


ROLES = ["E", "T", "F!", "f", ".!", ".o", ".t", "Tc", ".-", "f-", "E+", "T+", "F+", "F~", "t~#", "F#", ".#", ".m", ".u"]
ROLES += [".h", "Fh"]


@pytest.mark.parametrize(("lamps", "step"), long_after_first([(1, 35), (1, 7), (4, 7), (16, 7)]))
def test_changing_cell_flashes_safely(lamps, step):
    """The change itself may be half a flash, so three whole flashes per second are the limit.

    A pending turn has its own clock. It ends early, on time or a little late.
    """
    second = len(TWELVE_SECONDS) // 12
    traces = {sign: trace(sign, TWELVE_SECONDS, lamps) for sign in ROLES}
    hold = ConfirmWindow(0.0, 3.0)
    announced = {sign: trace(sign, TWELVE_SECONDS[: 4 * second], lamps, hold) for sign in (".?", "f?")}
    for after in traces.values():
        for i in range(0, len(after), step):
            then = [after[(i + j) % len(after)] for j in range(second)]
            for before in traces.values():
                assert flashes([before[i - second + j] for j in range(second)] + then) < 4
            for about in announced.values():
                assert flashes(then + about[: 2 * second]) < 4
                for end in (1.1, 2.7, 3.0, 3.1):
                    ended = int(end * second)
                    assert flashes(about[ended - second : ended] + then) < 4


def test_flash_counter_counts_flashes():
    five_a_second = [now * 5 % 1 < 0.5 for now in MINUTE]
    assert max_flashes(five_a_second, MINUTE) >= 5


def worst(scene_at, instants, lamps):
    """Return the maximum number of flashes per second, for single lamps, whole cells and the whole board."""
    moments = [grey_cells(scene_at(now), now, lamps) for now in instants]
    single = {trace for cell in moments[0] for trace in zip(*(moment[cell] for moment in moments), strict=True)}
    whole = {tuple(sum(moment[cell]) / lamps for moment in moments) for cell in moments[0]}
    board = tuple(sum(map(sum, moment.values())) / lamps / len(moment) for moment in moments)
    return max(max_flashes(trace, instants) for trace in {*single, *whole, board})


def trace(sign, instants, lamps, hold=None):
    """Return the levels of a cell's lamps over time, and their sum."""
    cells = [grey_cells(scene(f"{sign} . .\n. . .\n. . .", hold=hold), now, lamps)["a3"] for now in instants]
    return [(*cell, sum(cell) / lamps) for cell in cells]


def flashes(cells):
    return max(max_flashes(lamp, MINUTE[: len(cells)]) for lamp in set(zip(*cells, strict=True)))
