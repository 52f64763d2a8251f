"""Tones of a served board."""

from pond_hw.messages.message import Message
from pond_hw.rules import parse_variant
from pond_hw.server.service import (
    GAME_OVER_TONES,
    REFUSED_TONES,
    SCORE_TONES,
    TURN_TONES,
    choose_tones,
)
from tests.session.tables import ButtonTable


def test_turns_and_scores_play_tones():
    table = ButtonTable()
    before = table.session
    assert choose_tones(before, table.play("@b2")) == TURN_TONES
    table.play("@d4 @b4 @a1 @b3")
    while not table.session.turns[-1].sets:
        before = table.session
        table.play(str(before.allowed_actions[0]))
    assert choose_tones(before, table.session) == SCORE_TONES
    assert [pitch for pitch, _ in SCORE_TONES] == sorted(pitch for pitch, _ in SCORE_TONES)


def test_refusals_play_tones():
    table = ButtonTable()
    table.press("b2")
    before, refused = table.session, table.press("b2")
    assert choose_tones(before, refused) == REFUSED_TONES
    assert choose_tones(refused, table.press("b2")) == REFUSED_TONES
    assert choose_tones(before, before) == choose_tones(refused, refused) == ()
    assert max(pitch for pitch, _ in REFUSED_TONES) < min(pitch for pitch, _ in TURN_TONES)


def test_game_over_plays_tones():
    from pond_hw.session import AgreeDraw, NewGame, ResignGame, UndoTurns

    table = ButtonTable("3x3/9/1")
    table.play("@a1")
    before = table.session
    for ending in (ResignGame, AgreeDraw):
        assert choose_tones(before, table.send(ending)) == GAME_OVER_TONES
        ended = table.session
        assert choose_tones(ended, table.send(UndoTurns)) == ()
    while not table.session.outcome:
        before = table.session
        table.play(str(before.allowed_actions[0]))
    assert choose_tones(before, table.session) == GAME_OVER_TONES
    assert len(GAME_OVER_TONES) == 3
    assert choose_tones(table.session, table.send(NewGame, variant=parse_variant("3x3/9/1"))) == ()


def test_other_events_play_no_tones():
    from pond_hw.session import RedoTurns, ShowNotice, UndoTurns

    table = ButtonTable()
    table.play("@b2 @b3")
    before = table.session
    assert choose_tones(before, table.press("b2")) == ()  # a choice
    chosen = table.session
    assert choose_tones(chosen, table.send(ShowNotice, messages=(Message("supply.weak"),))) == ()
    assert choose_tones(chosen, table.send(UndoTurns)) == ()
    undone = table.session
    assert choose_tones(undone, table.send(RedoTurns)) == TURN_TONES


def test_service_plays_tones(serve):
    heard = []
    served = serve(sound=heard.append)
    served.hands.touch("b2")
    served.run_cycles()
    served.hands.touch("b2")
    served.run_cycles()
    served.advance(1)
    assert heard == [TURN_TONES, REFUSED_TONES]
