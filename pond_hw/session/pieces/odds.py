"""Numbers that decide what hands mean: how unlikely something is, and how long it takes.

A cost is the logarithm of odds: with 3 more, something is twenty times less likely. Most of what people do without
meaning it is one of four kinds: slight, unusual, rare, or an accident. Finer steps made no difference in the games of
tests/campaign. Times are in seconds.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Odds:
    """Costs of what hands do, limits of these costs, and times that separate one meaning from another."""

    # Costs
    moved: float = 0.3  # a piece that had been lifted acts: common, but each action that is assumed costs something
    placed: float = 0.7  # an egg is placed; more than moving, as any piece put down by accident looks like one
    slight: float = 0.9  # it happens in two turns of five: a hand hurries, or lifts a piece and puts it back
    coincidence: float = 1.2  # an egg is placed just where another piece could go: one cell of about three
    unusual: float = 2.2  # it happens in one turn of nine, such as playing on while a piece lies where it should not
    put_back: float = 2.8  # a scored piece is put back where it stood, and not an egg: not sure enough to count
    rare: float = 3.5  # it happens in one turn of thirty, such as lifting a piece that may not act
    accident: float = 5.0  # it happens in one turn of 150: a piece stands where no hand had reason to put it

    # Limits of costs
    accident_limit: float = 4.5  # nothing is taken for an action if more than this has happened besides actions
    common_limit: float = 2.0  # an action counts as an accident only with what it costs more than this
    sure: float = 3.0  # an action counts if everything else is twenty times less likely
    likely: float = 1.95  # the same if the difference between board and game says so too, or it was announced
    max_cost: float = 8.0  # a hypothesis that costs so much more than the best is dropped
    max_hypotheses: int = 10  # with 16 no fewer actions are wrong; with 8 a long slide was misread

    # Times
    together_seconds: float = 0.08  # two cells that detect something so close together may detect one piece
    slide_seconds: float = 0.2  # a piece that is slid is detected on two cells for no longer
    dropout_seconds: float = 0.25  # a piece that is not detected for so short a time has not been moved
    seen_seconds: float = 0.3  # no hand answers sooner than this to what another has done
    passing_seconds: float = 0.4  # a piece that stands for so short a time has only touched the cell on its way
    slip_seconds: float = 0.5  # no hand removes a piece that landed only so long ago
    carried_seconds: float = 1.0  # what is put down so soon after a scored piece was removed may be that piece
    slow_seconds: float = 1.5  # no hand picks a piece up again to act with it otherwise after so long


ODDS = Odds()
