"""Random clients, in all modes and with all options, cause no wrong state and no failure.

To repeat a run: `Monkey(seed, folder).run_steps(LINES)`. Its lines are then in `sent_lines`.
"""

import pytest

from pond_hw.rules import parse_variant
from pond_hw.server.headless import HeadlessGame
from tests.conftest import limit_frame_rate, long_after_first
from tests.server.monkeys import Monkey

LINES = 120
SEED_RANGES = [range(3), range(3, 10), *(range(first, first + 10) for first in range(10, 400, 10))]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", long_after_first(SEED_RANGES), ids=lambda seeds: f"from {seeds[0]}")
def test_monkeys_find_no_error(seeds, tmp_path, monkeypatch):
    for seed in seeds:
        # Long waits consist mostly of frames; most monkeys draw fewer.
        limit_frame_rate(monkeypatch, 1 / 30 if seed % 10 == 3 else 0.25)
        monkey = Monkey(seed, tmp_path / str(seed))
        try:
            monkey.run_steps(LINES)
        except Exception as failure:
            lines = b"\n".join(monkey.sent_lines).decode(errors="replace")
            failure.add_note(f"monkey {seed}: {monkey.pond}, {monkey.lamps} lamps, {monkey.pieces}\n{lines}")
            raise
        finally:
            monkey.close()
        if seed % 4 == 0 and not monkey.returned:
            again = HeadlessGame(
                parse_variant(monkey.pond),
                monkey.lamps,
                frames=monkey.frames,
                pieces=monkey.pieces,
                folder=monkey.folder and tmp_path / f"{seed} again",
            )
            assert [answer for line in monkey.sent_lines for answer in again.answer_line(line)] == monkey.received_lines
            again.companion.close()


def test_monkeys_reach_everything():
    """The tests above prove nothing unless the monkeys use all options and reach all phases."""
    met = set()
    for seed in range(400):
        monkey = Monkey.__new__(Monkey)
        monkey.start_board = lambda: None
        monkey.__init__(seed, "a folder")
        met |= {monkey.pond, monkey.lamps, ("frames", monkey.frames), ("journal", monkey.folder is not None)}
        if monkey.pieces:
            met |= {("colours", monkey.pieces.colours), ("turned", monkey.pieces.turned), "pieces"}
            met |= {fault.kind for fault in monkey.pieces.faults}
        else:
            met.add("buttons")
    everything = {1, 4, 16, 64, "standard", "big", "mini", "3x3/9/5", "5x5/7/4", "pieces", "buttons"}
    everything |= {(name, yes) for name in ("frames", "journal", "colours", "turned") for yes in (True, False)}
    assert everything <= met
    assert {"bounce", "chatter", "dropout", "stuck-on", "stuck-off", "cross-talk", "drift"} <= met
