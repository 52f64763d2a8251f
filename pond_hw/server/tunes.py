"""What is to be heard when a session becomes another. Pure."""

from __future__ import annotations

from pond_hw.session import Session

Tones = tuple[tuple[float, float], ...]
"""One after the other: the pitch in Hz and the length in seconds."""

TURN: Tones = ((880, 0.04),)
SCORED: Tones = ((880, 0.08), (1175, 0.12))
REFUSED: Tones = ((196, 0.15),)
OVER: Tones = ((784, 0.12), (988, 0.12), (1319, 0.3))


def tune(before: Session, after: Session) -> Tones:
    """The tones for what has happened in between; none for what is only to be seen."""
    if after.wrong and after.wrong is not before.wrong:
        return REFUSED
    if after.outcome and not before.outcome:
        return OVER
    if not after.fresh or after.turns is before.turns:
        return ()
    return SCORED if after.turns[-1].sets else TURN
