"""What is heard when something has happened. Pure."""

from __future__ import annotations

from pond_hw.session import View

ToneSequence = tuple[tuple[float, float], ...]
"""One after the other: the pitch in Hz and the length in seconds."""

TURN_TONES: ToneSequence = ((880, 0.04),)
SCORE_TONES: ToneSequence = ((880, 0.08), (1175, 0.12))
REFUSED_TONES: ToneSequence = ((196, 0.15),)
GAME_OVER_TONES: ToneSequence = ((784, 0.12), (988, 0.12), (1319, 0.3))


def choose_tones(view_before: View, view_after: View) -> ToneSequence:
    """The tones for what has happened in between; none for what is only to be seen."""
    if view_after.refusal and view_after.refusal is not view_before.refusal:
        return REFUSED_TONES
    if view_after.outcome and not view_before.outcome:
        return GAME_OVER_TONES
    if not view_after.turn_is_fresh or view_after.turns is view_before.turns:
        return ()
    return SCORE_TONES if view_after.turns[-1].sets else TURN_TONES
