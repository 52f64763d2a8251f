"""What the journal would tell of the game that a session is in."""

from pond_hw.journal import GameProjection


def project_session(session):
    return GameProjection(
        session.variant, session.custom_start, session.turns, session.undone_turns, session.declared_outcome
    )
