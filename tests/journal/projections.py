"""What the journal would tell of the game that a session is in."""

from pond_hw.journal import GameProjection


def project_session(session):
    course = session.variant, session.turns, session.declared_outcome, session.custom_start
    return GameProjection(*course, session.undone_turns, False, session.hints_given, session.hinted_position)
