"""Conversion of a session to a projection, as the journal has it."""

from pond_hw.journal import GameProjection


def project_session(session):
    course = session.variant, session.turns, session.declared_outcome, session.custom_start
    return GameProjection(*course, session.undone_turns, False, session.hints_given, session.hinted_position)
