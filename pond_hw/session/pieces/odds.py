"""Constants for choosing between interpretations: costs and times.

A cost is a log-odds penalty: adding 3 makes an event twenty times less likely. Most unintended events are slight,
unusual, rare or accidents; a finer scale did not improve the results of tests/campaign. Times are in seconds.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Odds:
    """Costs of events, cost limits, and times that distinguish similar events."""

    # Costs
    moved: float = 0.3  # a lifted piece moves: common, but every assumed action has a cost
    placed: float = 0.7  # an egg is placed; this costs more, because any misplaced piece looks like an egg
    slight: float = 0.9  # two turns in five, such as haste, or lifting a piece and putting it back
    coincidence: float = 1.2  # an egg is placed where another piece could have gone: one cell in three
    unusual: float = 2.2  # one turn in nine, such as playing on despite a misplaced piece
    put_back: float = 2.8  # a scored piece is put back, rather than an egg placed: too uncertain to count
    rare: float = 3.5  # one turn in thirty, such as lifting a piece that may not move
    accident: float = 5.0  # one turn in 150, such as putting a piece where it makes no sense

    # Limits of costs
    accident_limit: float = 4.5  # no action is recognised if other events cost more than this
    common_limit: float = 2.0  # only the part of an action's cost above this counts towards an accident
    certain: float = 3.0  # an action counts if every alternative is twenty times less likely
    likely: float = 1.95  # replaces `certain` if the difference agrees or the action was announced
    max_cost: float = 8.0  # a hypothesis that costs this much more than the best is dropped
    max_hypotheses: int = 10  # 16 gave no fewer errors; 8 misread a long slide

    # Times
    together_seconds: float = 0.08  # two cells that change within this time may have detected the same piece
    slide_seconds: float = 0.2  # maximum time for which a sliding piece is detected on two cells
    dropout_seconds: float = 0.25  # a piece undetected for less than this has not moved
    seen_seconds: float = 0.3  # fastest reaction of a player to another player's action
    passing_seconds: float = 0.4  # a piece detected for less than this was only passing by
    slip_seconds: float = 0.5  # a piece is not removed this soon after it landed
    carried_seconds: float = 1.0  # a piece put down this soon after a removal may be the removed piece
    slow_seconds: float = 1.5  # an action is not corrected after this long


ODDS = Odds()
