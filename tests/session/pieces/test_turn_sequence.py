"""Fast games without pauses, where each turn confirms the previous one."""

from dataclasses import replace
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.rules import STANDARD, VARIANTS, Action, Position, Side, find_outcome, legal_actions, play
from pond_hw.session import CellRole, PendingConfirmation
from pond_hw.session.pieces.action_matching import is_doubtful
from pond_hw.session.pieces.odds import ODDS
from tests.rules.positions import games
from tests.session.pieces.helpers import ABOUT_TO_SCORE, QUIET
from tests.session.pieces.oracle import random_turns, scored_cells_of, sensor_changes
from tests.session.tables import HOLD, LARGE, SMALL, PiecesTable, draw_on_failure


def make_table(line, variant="standard", *, asks_to_flip=False, **options):
    return PiecesTable.at(Position.from_notation(line, VARIANTS[variant]), asks_to_flip=asks_to_flip, **options)


def played(table):
    return " ".join(map(str, table.actions))


def put(table, *cells, every=1.0):
    """Put pieces down one after the other."""
    for cell in cells:
        table.drop(cell).wait(every)
    return table


def remove(table, *cells, every=0.4):
    """Remove scored pieces one after the other."""
    for cell in cells:
        table.lift(cell).wait(every)
    return table


def turn_over(table, *cells, every=0.1):
    """Turn pieces over one after the other."""
    for cell in cells:
        table.lift(cell).wait(0.4).drop(cell).wait(every)
    return table


def remove_scored(table):
    """Remove all scored pieces one after the other."""
    return remove(table, *sorted(table.session.board_state.tasks.to_remove))


# Confirmation by the next turn


def after_score(**options):
    """Return a table with Dark to move after Light scored on row 2 and the pieces were removed."""
    return remove(put(make_table(ABOUT_TO_SCORE, **options), "b1"), "a2", "b2", "c2", every=0.5)


def test_egg_on_just_scored_cell_counts_at_once():
    assert played(put(after_score(), "b2")) == "@b1 @b2"


HOP_THAT_SCORES = "...T/t.tf/...T/...T d 10 10 0 0"
"""Dark's frog hops from d3 to b3, where all three pieces in the row score."""


def announced_after_score():
    """Return a table where the frog that scored on b3 was lifted, and a piece was put there immediately afterwards."""
    table = make_table(HOP_THAT_SCORES).act(Action("d3", "b3"), ("lift first", 0.5)).wait(1.0)
    return put(remove(table, "a3", "c3", "b3"), "b3")


def test_piece_replacing_lifted_scored_piece_is_announced():
    table = announced_after_score()
    assert (played(table), table.shown(CellRole.PENDING)) == ("d3b3", ["b3"])
    assert played(table.wait(HOLD)) == "d3b3 @b3"


def test_next_action_confirms_announced_egg():
    table = put(announced_after_score(), "b1")
    assert played(table) == "d3b3 @b3 @b1"


def test_lifting_announced_egg_denies_it():
    table = announced_after_score().lift("b3").wait(0.5).drop("b3").wait(0.5)
    assert played(table) == "d3b3"
    assert isinstance(table.session.board_state.confirmation.interpretation, PendingConfirmation)


def test_eggs_on_scored_cells_count_one_per_second():
    table = put(after_score(), "b2", "b4", "a2", "a4", "c2")
    assert "@b1 @b2 @b4 @a2 @a4 @c2".startswith(played(table))
    assert played(table.wait(HOLD)) == "@b1 @b2 @b4 @a2 @a4 @c2"


@pytest.mark.parametrize("every", [0.4, 0.8, 1.5, 3.0])
def test_successive_eggs_count_at_any_pace(every):
    table = put(make_table(QUIET), "c3", "a2", "d2", every=every)
    assert played(table) == "@c3 @a2 @d2"


def test_turns_count_without_pauses():
    """Pieces are touched all the time. Each egg counts soon after the next one."""
    table, touched, counted = make_table(QUIET), ["a1", "a4", "b2", "d1", "d4"], []
    for cell in ("c3", "c1", "a2", "d2"):
        table.drop(cell).wait(0.1)
        for other in touched:
            table.lift(other).wait(0.07).drop(other).wait(0.07)
        counted.append(played(table))
    assert counted == ["", "@c3", "@c3 @c1", "@c3 @c1 @a2"]
    assert played(table.wait(1.0)) == "@c3 @c1 @a2 @d2"


def test_scored_pieces_are_removed_during_next_action():
    table = put(make_table(ABOUT_TO_SCORE), "b1")
    remove(table, "a2", every=0.2).lift("d4").wait(0.2)
    remove(table, "c2", every=0.2).drop("d3").wait(0.2)
    remove(table, "b2", every=0.4)
    assert (played(table), table.phase) == ("@b1 d4d3", "act")


@pytest.mark.parametrize("every", [0.05, 0.1, 0.2])
def test_turn_with_early_removal_is_announced(every):
    table = remove(put(make_table(ABOUT_TO_SCORE), "b1", every=every), "a2", "c2", "b2", every=every).wait(0.3)
    assert table.phase != "differs" or table.shown(CellRole.PENDING)
    assert played(table.wait(2 * HOLD)) == "@b1"


CLEARED = "..Et/T..t/E.e./T... d 9 10 0 0"
"""Dark's move d3c3 scores one of Light's pieces and two of Dark's, on c2, c3 and c4."""


def after_column_scored(gap, *, owners):
    """Return a table with Light to move after Dark scored on column c and the pieces were removed."""
    table = make_table(CLEARED, owners=owners).act(Action("d3", "c3"), ("lift first", 0.5)).wait(gap)
    return remove(table, "c2", "c3", "c4", every=gap)


@pytest.mark.parametrize("owners", [False, True])
@pytest.mark.parametrize("gap", [0.5, 1.0, 2.0, 2.8, 3.3])
def test_alternating_eggs_on_cleared_cells_count(gap, owners):
    table = after_column_scored(gap, owners=owners)
    table.drop("c3", owner=Side.LIGHT).wait(gap).drop("c2", owner=Side.DARK).wait(gap)
    assert (played(table), table.phase) == ("d3c3 @c3 @c2", "act")
    assert played(table.drop("c4", owner=Side.LIGHT).wait(gap).drop("b1", owner=Side.DARK).wait(gap)).endswith(
        "@c4 @b1"
    )


@pytest.mark.parametrize("gap", [0.5, 1.0])
def test_orderly_games_end_in_agreement(gap):
    """Players move one at a time and never wait for a question. A third of all actions end on a cell that has just scored."""
    for seed in range(1000, 1040):
        rng, position, cleared = Random(seed), Position.start(STANDARD), set()
        table = make_table("..../..../..../.... l 13 13 0 0")
        while not find_outcome(position) and len(table.session.turns) < 40:
            actions = legal_actions(position)
            scoring = [action for action in actions if play(position, action).sets]
            favoured = [action for action in actions if action.target in cleared]
            likely = scoring if rng.random() < 0.6 else favoured if rng.random() < 0.3 else actions
            turn = play(position, rng.choice(likely or actions))
            position, cleared = (
                turn.after,
                (cleared - {turn.action.target}) | scored_cells_of(turn) | {turn.action.source},
            )
            table.act(turn.action, ("lift first", gap)).wait(gap)
            remove(table, *rng.sample(sorted(scored_cells_of(turn)), len(scored_cells_of(turn))), every=gap)
        with draw_on_failure(table, "game", seed):
            assert table.wait(HOLD).position == position
            assert table.phase in ("act", "over")


def test_other_sides_egg_is_not_a_returned_piece():
    table = after_column_scored(0.5, owners=True).drop("c3", owner=Side.LIGHT)
    assert [hypothesis for hypothesis in table.session.board_state.hypotheses if hypothesis.pending_turns]
    assert not [hypothesis for hypothesis in table.session.board_state.hypotheses if hypothesis.put_back]
    table = after_column_scored(0.5, owners=False).drop("c3")
    assert [hypothesis for hypothesis in table.session.board_state.hypotheses if hypothesis.put_back]


def with_owners(line=QUIET):
    """Return a table whose sensors detect owners, and a function that returns its hypotheses."""
    table = make_table(line, owners=True)
    return table, lambda: table.session.board_state.hypotheses


def test_other_sides_piece_is_not_the_lifted_piece():
    table, hypotheses = with_owners()
    table.lift("a1").wait(1.0).drop("c3", owner=Side.DARK)
    assert hypotheses()
    assert not any(piece.origin for each in hypotheses() for piece in each.unexplained.values())


def test_other_sides_piece_does_not_count_as_slid():
    table, hypotheses = with_owners()
    table.drop("c2", owner=Side.DARK).wait(0.06).lift("b2")
    assert not any(Action("b2", "c2") in each.actions for each in hypotheses())
    assert played(table.wait(HOLD)) == ""


def test_other_sides_egg_replaces_scored_piece():
    """The pause between the pieces is too short for the board to become stable."""
    table = make_table(CLEARED, owners=True).act(Action("d3", "c3"), ("lift first", 0.5)).wait(1.0)
    table.lift("c3").wait(0.05).drop("c3", owner=Side.LIGHT).wait(0.5)
    assert played(table) == "d3c3 @c3"


# Late or missing flips


def test_moved_piece_is_flipped_during_next_action():
    table = put(make_table("e..f/..../..../E..F l 11 11 0 0", asks_to_flip=True), "b1", "c3")
    table.lift("a1").wait(0.4).drop("a2").wait(0.5)
    assert (played(table), table.shown(CellRole.PENDING)) == ("@b1 @c3", ["a1", "a2"])
    table.lift("a2").wait(0.4).drop("c4").wait(0.3).drop("a2").wait(0.5)
    assert (played(put(table, "b4")), table.phase) == ("@b1 @c3 a1a2 @c4 @b4", "act")


def eggs_scoring_developed_pieces(seed):
    """Return a table after a turn, the turn, an egg that scores, and the cells that developed and score with it."""
    for turn in random_turns(60, SMALL + LARGE, seed, scoring=False):
        developed_cells = {developed.cell for developed in turn.developed_pieces}
        table = PiecesTable.at(turn.before).act(turn.action).wait(1.0)
        for action in legal_actions(turn.after):
            scored_cells = scored_cells_of(play(turn.after, action)) & developed_cells - {action.target}
            if action.source is None and scored_cells:
                yield table.fork(), turn, action, scored_cells


@pytest.mark.slow
def test_piece_scored_during_flip_is_not_an_egg():
    """It was lifted just after the egg landed, before anyone could see that it scored."""
    tried = 0
    for table, turn, action, scored_cells in eggs_scoring_developed_pieces(5):
        cell = min(scored_cells)
        table.drop(action.target).wait(0.08).lift(cell).wait(2.0).drop(cell).wait(10.0)
        with draw_on_failure(table, turn.action, "then", action, "during a flip", cell):
            assert table.actions == (turn.action, action)
        tried += 1
    assert tried > 5


def test_action_during_flip_counts_when_piece_is_back():
    table = put(make_table(ABOUT_TO_SCORE, asks_to_flip=True), "b1").lift("a1").wait(0.5).drop("c3").wait(0.5)
    assert (played(table), table.shown(CellRole.PENDING), table.shown(CellRole.PUT)) == ("@b1", ["c3"], ["a1"])
    assert played(table.wait(60)) == "@b1"
    assert played(table.drop("a1").wait(0.5)) == "@b1 @c3"


def test_action_during_flip_counts_with_next_action():
    table = put(put(make_table(ABOUT_TO_SCORE, asks_to_flip=True), "b1").lift("a1").wait(0.5), "c3", "a4")
    assert played(table) == "@b1 @c3"
    assert played(put(table, "a1", "b4")) == "@b1 @c3 @a4 @b4"


@pytest.mark.slow
def test_piece_scored_during_flip_need_not_return():
    tried = 0
    for table, turn, action, scored_cells in eggs_scoring_developed_pieces(7):
        for cell in sorted(scored_cells):
            if Action(cell, action.target) not in legal_actions(turn.after):  # or it seems to have gone there
                after = table.fork().lift(cell).wait(1.0).drop(action.target).wait(HOLD + 1.0)
                with draw_on_failure(after, turn.action, "then", action, "during a flip", cell):
                    assert after.actions == (turn.action, action)
                tried += 1
    assert tried > 5


def test_needless_flip_does_not_delay_action():
    """Plain pieces need no flip, but a player flips one and the next player acts at once."""
    table = make_table(QUIET).lift("d4").wait(1.0).drop("d4").wait(0.15).drop("c3").wait(0.5)
    assert (played(table), table.phase) == ("@c3", "act")


# Plain pieces that are turned over anyway


def test_egg_beside_returned_piece_counts():
    table = turn_over(make_table("tFtE/Fe.F/.t.F/tetE d 1 1 4 3", "small-11"), "c4", every=0.2)
    turn_over(put(table, "c3", every=1.8), "b3", "d3", "c4")
    assert played(put(table, "a2")) == "@c3 @a2"


def test_needless_flips_between_turns_are_not_turns():
    table = remove_scored(make_table("eEtF/tT.F/..t./FEf. d 1 2 6 6").act(Action("c1", "c3")).wait(1.0))
    turn_over(put(table, "c1", every=1.8), "b3", "d3", "b1")
    turn_over(put(table, "c2", every=1.8), "c1", every=0.8)
    table.lift("b3").wait(0.5).drop("b2").wait(0.5)
    assert played(table) == "c1c3 @c1 @c2 b3b2"


def test_egg_on_last_move_source_counts():
    """The egg lands on the cell from which the last piece came."""
    table = remove_scored(make_table("t.e./tef./E.../tfFt d 9 6 3 0", "small-14").act(Action("b1", "b2")).wait(1.0))
    turn_over(put(table, "a2", every=1.8), "b3", "b2")
    table.lift("b3").wait(0.5).drop("a3").wait(1.3)
    put(turn_over(table, "a2", every=0.8), "b3", every=1.8)
    assert played(put(turn_over(table, "b2", "a3", "c3"), "d2").wait(HOLD)) == "b1b2 @a2 b3a3 @b3 @d2"


def test_undo_involves_no_flips():
    """Two eggs land where pieces have just scored, three seconds apart."""
    table = remove_scored(make_table("e.FE/F.EF/eeFf/fFtT d 3 5 0 0", "small-11").act(Action(None, "b4")).wait(1.0))
    put(turn_over(put(table, "d4", every=1.8), "d3", every=0.8), "b4", every=1.8)
    turn_over(table, "a4", every=0.8).lift("c2").wait(0.5).drop("c4").wait(1.3)
    turn_over(table, "c3", "b4", "d4").lift("b4").wait(0.5).drop("b3").wait(0.5)
    assert played(table) == "@b4 @d4 @b4 c2c4 b4b3"


# Overlapping hands


def test_likelier_of_two_equal_sequences_counts():
    """Either a tadpole slides one cell, or an egg is placed next to it just as the other side lifts it to flip it.

    Both are legal, and the sensors report the same.
    """
    table = make_table("..../..e./E.T./...e l 11 11 0 0", asks_to_flip=True)
    assert {Action("c2", "c1"), Action(None, "c1")} <= set(legal_actions(table.position))
    table.drop("c1").wait(0.06).lift("c2").wait(0.5)
    assert played(table) == "c2c1"
    assert Action(None, "c2") in legal_actions(table.position)  # even its return is an action, if it was slid


def test_piece_lifted_before_other_sides_egg_can_move():
    """The piece may also have been knocked aside, but then the player would repair that before continuing."""
    table = make_table("EFf./t.../tt.f/FET. l 1 0 7 8").lift("d2").wait(0.1).drop("c3").wait(6.4)
    table.lift("b4").wait(0.1).drop("d1").wait(5.9)
    table.lift("d1").wait(0.1).drop("b3").wait(5.9)
    table.lift("b3").wait(0.1).drop("d2").wait(6.0)
    assert played(table) == "@c3 d2d1 b4b3 d1d2"


def test_removing_scored_piece_confirms_turn():
    """The egg landed at nearly the same moment as the scored piece beside it, so that piece may be off-centre."""
    table = (
        make_table("..tT/e..F/.t.T/.FE. l 5 4 0 3", "mini")
        .lift("b1")
        .wait(0.5)
        .drop("d1")
        .wait(0.1)
        .drop("c2")
        .wait(3.0)
    )
    remove(table, "d1", "d2", "d3", every=0.6)
    assert played(table) == "b1d1" or table.shown(CellRole.PENDING)
    assert played(table.wait(2 * HOLD)) == "b1d1 @c2"


# Corrections


def test_moving_piece_again_immediately_corrects_turn():
    table = make_table(QUIET).drop("c3").wait(0.5)
    assert played(table) == "@c3"
    table.lift("c3").wait(0.3).drop("c2").wait(HOLD + 0.5)
    assert played(table) == "@c2"


def test_correction_keeps_earlier_removals():
    table = remove(put(make_table(ABOUT_TO_SCORE), "b1"), "a2", "b2").wait(1.0).drop("b3").wait(0.5)
    assert played(table) == "@b1 @b3"
    table.lift("b3").wait(0.3).drop("b4").wait(HOLD + 0.5)
    assert played(table) == "@b1 @b4"
    assert table.shown(CellRole.TAKE_OFF) == ["c2"]


def test_following_lamps_is_not_a_turn():
    """Two pieces have slipped, and the first is moved exactly as the lamps show."""
    table = make_table(QUIET).lift("b2", "d1").wait(0.1).drop("b3", "d2").wait(2.0)
    assert (played(table), table.phase) == ("", "differs")
    while not table.at_rest():
        (step, *_) = table.session.board_state.confirmation.interpretation.repair_steps
        table.lift(step.source).wait(0.1).drop(step.target).wait(0.5)
    assert played(table) == ""


# Random hands


@given(
    games(ponds=SMALL + LARGE, actions=40),
    st.lists(st.tuples(st.integers(0, 999), st.sampled_from((0.02, 0.1, 0.3, 0.6, 1.0))), max_size=30),
    st.booleans(),
)
def test_hypotheses_are_few_and_legal(game, todo, asks_to_flip):
    table = PiecesTable.at(game.position, asks_to_flip=asks_to_flip)
    for number, pause in todo:
        legal, cells = legal_actions(table.position), table.position.grid.cells
        if legal and number % 3:
            for cell, down in sensor_changes(legal[number % len(legal)]):
                table.touch(cell, down, None)
        else:
            cell = cells[number % len(cells)]
            table.touch(cell, cell not in table.detected, None)
        table.wait(pause)
        hypotheses = table.session.board_state.hypotheses
        assert len(hypotheses) <= ODDS.max_hypotheses
        for hypothesis in hypotheses:
            position = table.position
            for pending in hypothesis.pending_turns if not hypothesis.corrected_count else ():
                assert pending.turn == play(position, pending.turn.action)
                position = pending.turn.after
            assert hypothesis.total_cost(table.time) < inf


def test_unremoved_scored_piece_on_masked_cell_is_uncertain():
    """The sensor is masked, so the piece seems to have been removed."""
    table = make_table(HOP_THAT_SCORES).act(Action("d3", "b3"), ("lift first", 0.5)).wait(1.0)
    board_state = table.session.board_state
    tasks = replace(board_state.tasks, recently_removed={"b3": board_state.tasks.to_remove["b3"]})
    assert is_doubtful(table.position, replace(board_state, tasks=tasks), Action(None, "b3"))
