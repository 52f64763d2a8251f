"""Tests for the parts of the campaign, and for its ability to notice failures."""

import pytest

from pond_hw.rules import Action, Position, parse_variant, play
from pond_hw.session import TakeAction, UndoTurns
from pond_hw.simulator.sensor_faults import FAULT_KINDS
from tests.campaign.__main__ import complaints, main, report
from tests.campaign.game import CampaignGame, play_game
from tests.campaign.oracle import MAX_ASKED, MAX_WRONG, Band, Figures, Lookalikes
from tests.campaign.tempo import QuickGame
from tests.conftest import long_after_first

SEED = 2026


def played(seed, games, **options):
    figures, failing = Figures(), []
    for number in games:
        one, failures = play_game(seed, number, **options)
        figures += one
        failing += [(number, failures)] if failures else []
    return figures, failing


@pytest.mark.slow
@pytest.mark.parametrize("games", long_after_first([5, 14]))
def test_patient_players_are_understood(games):
    figures, failing = played(SEED, range(games))
    assert not failing
    assert figures.understood == figures.intended > 18 * games
    assert figures.mistakes == figures.repaired > 10 * games // 14
    assert not complaints(figures, failing, ["asked about is for the long campaign"])


@pytest.mark.long
def test_game_runs_through_the_real_loop():
    figures, failing = played(SEED, [3], through_companion=True, most=12)
    assert not failing
    assert figures.understood == 12


@pytest.mark.slow
def test_quick_game_figures_add_up():
    """This checks only that the games are played and that the figures add up. The campaign checks the quality."""
    figures, failing = Figures(), []
    for number in range(6):
        one, failures = play_game(SEED, number, kind=QuickGame, tempo=(0.6, 6.0), most=12)
        figures += one
        failing += [(number, failures)] if failures else []
        if not failures:
            assert one.intended == one.understood + one.by_screen
    log_lines = "\n".join(report(figures, failing, SEED, (), 1.0))
    total = sum(figures.bands.values(), Band())
    assert total.games == figures.games == 6, log_lines
    assert (total.intended, total.wrong, total.unintended_undos) == (
        figures.intended,
        figures.wrong,
        figures.unintended_undos,
    )
    assert total.asked == figures.asked
    assert total.agreed == figures.agreed == 6 - len(failing)
    assert total.without_wait <= total.one_wait <= total.games
    assert total.gaps > 0
    assert 0.3 < total.seconds / total.gaps < 12.0
    assert "in total" in log_lines


ONCE_WRONG_QUICK = {
    8: "a piece is lifted to be turned over after an egg that may be the move of another such piece",
    10: "an egg on a cell whose scored piece was held for a long time",
    13: "a piece goes back where it came from",
    22: "two turns explain the difference, but the hands did something else",
    25: "a piece is moved and another placed while a third is lifted again and again",
    29: "a correction while a scored piece of the turn before is still on the board",
    30: "a piece is lifted to be turned over just when an egg lands beside it",
    39: "an egg lands beside a piece that is lifted to be turned over",
    45: "the correction of game 29, and an egg on the cell that scored",
    49: "pieces that score while they are being turned over are not put back",
    60: "a piece touches two cells on its way",
    61: "two hypotheses that are nearly as likely",
    73: "an egg and a move that look the same for a while",
    90: "a piece with repeated sensor dropouts is moved to the next cell",
    98: "three pieces are turned over while two turns are taken",
    122: "a piece slides to where the other side's piece has just come from",
}


@pytest.mark.slow
@pytest.mark.parametrize("number", ONCE_WRONG_QUICK, ids=ONCE_WRONG_QUICK.get)
def test_previously_misunderstood_quick_games_are_understood(number):
    assert not played(31, [number], kind=QuickGame, tempo=(0.6, 6.0))[1]


ONCE_WRONG_PATIENT = {
    1: "a piece scores just when it is lifted to be turned over",
    26: "three pieces are turned over, and an egg lands beside one of them",
    36: "two pieces are turned over, and an egg lands where one of them could go",
    51: "as in game 36, with another piece in the other hand",
    85: "a piece that scored in a hand comes back",
    94: "as in game 85",
    116: "a scored piece is put back while a hand holds another piece",
    190: "a piece is touched after an undo is announced",
    197: "an illegal move is taken back",
    206: "an illegal move of a piece that might be turned over",
    244: "a piece is moved as the lamps showed, but they now show another step",
    319: "a scored piece was lifted and came back",
    377: "an illegal move onto a cell where the piece would score",
}


@pytest.mark.slow
@pytest.mark.parametrize("number", ONCE_WRONG_PATIENT, ids=ONCE_WRONG_PATIENT.get)
def test_previously_misunderstood_patient_games_are_understood(number):
    assert not played(77, [number])[1]


@pytest.mark.slow
def test_previously_misunderstood_long_games_are_understood():
    """The games had a dropout of a scored piece, and a scoring turn that was undone piece by piece."""
    assert not played(2026, [503, 678])[1]


@pytest.mark.slow
def test_dropout_is_not_a_correction():
    """The sensor of the piece that acted drops out just as the next egg lands."""
    assert not played(131, [119], kind=QuickGame, tempo=(0.6, 6.0))[1]


@pytest.mark.slow
def test_quick_game_log_is_reproducible(capsys):
    main(["--seed", str(SEED), "--game", "3", "--tell", "--tempo", "0.8-2"])
    log_lines = capsys.readouterr().out
    assert "light   plans @" in log_lines
    assert "detected: a piece on" in log_lines


@pytest.mark.slow
def test_same_seed_gives_same_log():
    stories = [[], []]
    for log_lines in stories:
        CampaignGame(SEED, 5, log_lines=log_lines, most=15).play()
    assert stories[0] == stories[1]
    assert len(stories[0]) > 40


@pytest.mark.slow
def test_patient_game_log_is_reproducible(capsys):
    main(["--seed", str(SEED), "--game", "5", "--tell"])
    log_lines = capsys.readouterr().out
    assert f"game 5 of seed {SEED}" in log_lines
    assert "light   plans @" in log_lines
    assert "detected: a piece on" in log_lines
    assert "board, act: Light placed an egg on" in log_lines


def test_unknown_fault_is_refused(capsys):
    assert main(["--faults", "gremlins"]) == 2
    assert "There is no fault 'gremlins'." in capsys.readouterr().out


def game_with_event(when, event):
    """Return a game in which a screen sends an event after the turn with this number."""
    campaign_game = CampaignGame(SEED, 4, most=20)
    people = campaign_game.people

    def meddle(person):
        yield from ()
        if len(campaign_game.oracle.truth) == when:
            campaign_game.world.send_event(event(campaign_game, people))

    campaign_game.later = meddle
    figures = campaign_game.play()
    return figures, campaign_game.oracle.failures


def test_unintended_action_is_noticed():
    figures, failures = game_with_event(
        3, lambda campaign_game, _: TakeAction(campaign_game.world.session.allowed_actions[0], campaign_game.world.t)
    )
    assert figures.wrong == 1
    assert figures.agreed == 0
    assert failures[0].endswith("counted, but nothing was intended.")


def test_unintended_undo_is_noticed():
    figures, failures = game_with_event(3, lambda campaign_game, _: UndoTurns(campaign_game.world.t))
    assert figures.unintended_undos == 1
    assert failures == ["Number of undone turns: 1 instead of 0."]


def test_different_action_is_noticed():
    campaign_game = CampaignGame(SEED, 4)
    one, other = (Action(None, cell) for cell in ("a1", "b2"))
    campaign_game.oracle.intend(one)
    campaign_game.world.send_event(TakeAction(other, 0.0))
    assert campaign_game.oracle.failures == ["@b2 counted, but @a1 was intended."]


def test_failures_are_reported():
    good = Figures(games=1, agreed=1, intended=1000, understood=1000, asked=5)
    assert not complaints(good, [], ())
    assert not complaints(good + Figures(asked=9), [], ["drift"])
    assert "0.5 %" in complaints(good + Figures(asked=1), [], ())[0]
    assert "1 wrong actions" in complaints(good + Figures(wrong=1), [], ())[0]
    assert "1 turns were undone" in complaints(good + Figures(unintended_undos=1), [], ())[0]
    assert "1 games did not end in agreement" in complaints(good + Figures(games=1), [], ())[0]


def test_lookalike_actions_are_recognized():
    pond = parse_variant("standard")
    position = Position.start(pond)
    for action in ("@b2", "@d4", "@b3"):
        position = play(position, Action.from_notation(action)).after  # the egg on b2 is now a tadpole, and Light moves
    position = play(position, Action.from_notation("@d1")).after
    looks = Lookalikes(position, ())
    standing = {"b2", "b3", "d4", "d1"}
    assert looks.has({"a2", "b3", "d4", "d1"})  # the tadpole moved
    assert looks.has({*standing, "a4"})  # an egg was placed
    assert looks.has({*standing, "a4", "c4"})  # two eggs were placed
    assert not looks.has({"b2", "b3", "d4", "c1"})  # Dark's egg can't move
    assert not looks.has_any_between(standing, {"d1": {"c1"}})
    assert looks.has_any_between(standing, {"b2": {"b1"}, "d1": {"c1"}})  # after the first fall, it looks like a move


@pytest.mark.slow
def test_piece_on_two_cells_does_not_look_like_two_actions():
    """A sleeve pushed two pieces, and one of them came to rest between its cell and the other piece's."""
    figures, failures = play_game(1, 1692)
    assert not failures
    assert figures.lookalikes


@pytest.mark.long
def test_twenty_thousand_actions_are_understood():
    total, failing, number = Figures(), [], 0
    while total.intended < 20_000:
        one, failures = play_game(SEED, number, through_companion=number % 100 == 99)
        total += one
        failing += [(number, failures)] if failures else []
        number += 1
    log_lines = "\n".join(report(total, failing, SEED, (), 1.0))
    assert total.wrong <= MAX_WRONG * total.intended, log_lines
    assert total.understood >= (1 - MAX_WRONG) * total.intended, log_lines
    assert total.unintended_undos == 0, log_lines
    assert total.agreed >= total.games - total.wrong_games, log_lines
    assert total.asked <= MAX_ASKED * total.intended, log_lines


@pytest.mark.long
@pytest.mark.parametrize("kinds", [(kind,) for kind in FAULT_KINDS] + [("chatter", "stuck-off")], ids="+".join)
def test_bad_sensors_cause_questions_but_no_wrong_actions(kinds):
    total, failing = Figures(), []
    for number in range(25):
        one, failures = play_game(SEED, number, kinds)
        total += one
        failing += [(number, failures)] if failures else []
    log_lines = "\n".join(report(total, failing, SEED, kinds, 1.0))
    assert not complaints(total, failing, kinds), log_lines
    assert total.understood == total.intended, log_lines
