"""Games at the pace of a real table: nobody waits for the board, and what follows confirms what came before."""

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
from tests.session.pieces.oracle import changes, gone, sampled_turns
from tests.session.tables import HOLD, LARGE, SMALL, PiecesTable, drawing

PRESSED = "...f/..../TeT./E.EF l 8 11 0 0"
"""An egg on b1 makes tadpoles of a1, b2 and c1; then the three of row 2 score."""

QUIET = "e..f/..../.T../E..F l 10 11 0 0"
"""Light has an egg on a1, a tadpole on b2 and a frog on d1; dark an egg on a4 and a frog on d4."""


def sit_down(line, variant="standard", *, asks_to_flip=False, **how):
    return PiecesTable.at(Position.from_notation(line, VARIANTS[variant]), asks_to_flip=asks_to_flip, **how)


def taken(table):
    return " ".join(map(str, table.actions))


def put(table, *cells, every=1.0):
    """Pieces are put down one after the other."""
    for cell in cells:
        table.drop(cell).wait(every)
    return table


def remove(table, *cells, every=0.4):
    """Scored pieces are removed one after the other."""
    for cell in cells:
        table.lift(cell).wait(every)
    return table


def turn_over(table, *cells, every=0.1):
    """Pieces are turned over one after the other."""
    for cell in cells:
        table.lift(cell).wait(0.4).drop(cell).wait(every)
    return table


def remove_scored(table):
    """All scored pieces are removed one after the other."""
    return remove(table, *sorted(table.session.board_state.tasks.to_remove))


# The next turn confirms the one before


def after_score(**how):
    """Light has scored on row 2, and the pieces are off the board; it is dark's turn."""
    return remove(put(sit_down(PRESSED, **how), "b1"), "a2", "b2", "c2", every=0.5)


def test_egg_on_just_scored_cell_counts_at_once():
    assert taken(put(after_score(), "b2")) == "@b1 @b2"


HOP_THAT_SCORES = "...T/t.tf/...T/...T d 10 10 0 0"
"""Dark's frog hops from d3 to b3, and all three in that row score."""


def announced_after_score():
    """The frog that has scored on b3 is lifted, and something is put there a moment later."""
    table = sit_down(HOP_THAT_SCORES).act(Action("d3", "b3"), ("lift first", 0.5)).wait(1.0)
    return put(remove(table, "a3", "c3", "b3"), "b3")


def test_piece_on_cell_of_lifted_scored_piece_is_announced():
    table = announced_after_score()
    assert (taken(table), table.shown(CellRole.PENDING)) == ("d3b3", ["b3"])
    assert taken(table.wait(HOLD)) == "d3b3 @b3"


def test_next_action_confirms_announced_egg():
    table = put(announced_after_score(), "b1")
    assert taken(table) == "d3b3 @b3 @b1"


def test_lifting_announced_egg_denies_it():
    table = announced_after_score().lift("b3").wait(0.5).drop("b3").wait(0.5)
    assert taken(table) == "d3b3"
    assert isinstance(table.session.board_state.confirmation.interpretation, PendingConfirmation)


def test_eggs_on_all_scored_cells_one_a_second():
    table = put(after_score(), "b2", "b4", "a2", "a4", "c2")
    assert "@b1 @b2 @b4 @a2 @a4 @c2".startswith(taken(table))
    assert taken(table.wait(HOLD)) == "@b1 @b2 @b4 @a2 @a4 @c2"


@pytest.mark.parametrize("every", [0.4, 0.8, 1.5, 3.0])
def test_eggs_one_after_the_other_at_any_pace(every):
    table = put(sit_down(QUIET), "c3", "a2", "d2", every=every)
    assert taken(table) == "@c3 @a2 @d2"


def test_turns_count_without_rest():
    """Somebody touches pieces all the time. Each egg counts as soon as the next one has stood for a moment."""
    table, touched, counted = sit_down(QUIET), ["a1", "a4", "b2", "d1", "d4"], []
    for cell in ("c3", "c1", "a2", "d2"):
        table.drop(cell).wait(0.1)
        for other in touched:
            table.lift(other).wait(0.07).drop(other).wait(0.07)
        counted.append(taken(table))
    assert counted == ["", "@c3", "@c3 @c1", "@c3 @c1 @a2"]
    assert taken(table.wait(1.0)) == "@c3 @c1 @a2 @d2"


def test_scored_pieces_are_removed_during_next_action():
    table = put(sit_down(PRESSED), "b1")
    remove(table, "a2", every=0.2).lift("d4").wait(0.2)
    remove(table, "c2", every=0.2).drop("d3").wait(0.2)
    remove(table, "b2", every=0.4)
    assert (taken(table), table.phase) == ("@b1 d4d3", "act")


@pytest.mark.parametrize("every", [0.05, 0.1, 0.2])
def test_turn_with_early_removal_is_announced(every):
    table = remove(put(sit_down(PRESSED), "b1", every=every), "a2", "c2", "b2", every=every).wait(0.3)
    assert table.phase != "differs" or table.shown(CellRole.PENDING)
    assert taken(table.wait(2 * HOLD)) == "@b1"


CLEARED = "..Et/T..t/E.e./T... d 9 10 0 0"
"""Dark's d3c3 scores c2, c3 and c4: Light has a piece of these, and Dark has two."""


def after_column_scored(gap, *, owners):
    """Dark has scored on column c, and the pieces are off the board; it is Light's turn."""
    table = sit_down(CLEARED, owners=owners).act(Action("d3", "c3"), ("lift first", 0.5)).wait(gap)
    return remove(table, "c2", "c3", "c4", every=gap)


@pytest.mark.parametrize("owners", [False, True])
@pytest.mark.parametrize("gap", [0.5, 1.0, 2.0, 2.8, 3.3])
def test_alternating_eggs_on_cleared_cells_count(gap, owners):
    table = after_column_scored(gap, owners=owners)
    table.drop("c3", owner=Side.LIGHT).wait(gap).drop("c2", owner=Side.DARK).wait(gap)
    assert (taken(table), table.phase) == ("d3c3 @c3 @c2", "act")
    assert taken(table.drop("c4", owner=Side.LIGHT).wait(gap).drop("b1", owner=Side.DARK).wait(gap)).endswith("@c4 @b1")


@pytest.mark.parametrize("gap", [0.5, 1.0])
def test_orderly_games_end_in_agreement(gap):
    """One hand at a time, plain pieces; nobody waits for a question. A third of all actions end on a cleared cell."""
    for seed in range(1000, 1040):
        chance, position, cleared = Random(seed), Position.start(STANDARD), set()
        table = sit_down("..../..../..../.... l 13 13 0 0")
        while not find_outcome(position) and len(table.session.turns) < 40:
            actions = legal_actions(position)
            scoring = [action for action in actions if play(position, action).sets]
            favoured = [action for action in actions if action.target in cleared]
            likely = scoring if chance.random() < 0.6 else favoured if chance.random() < 0.3 else actions
            turn = play(position, chance.choice(likely or actions))
            position, cleared = turn.after, (cleared - {turn.action.target}) | gone(turn) | {turn.action.source}
            table.act(turn.action, ("lift first", gap)).wait(gap)
            remove(table, *chance.sample(sorted(gone(turn)), len(gone(turn))), every=gap)
        with drawing(table, "game", seed):
            assert table.wait(HOLD).position == position
            assert table.phase in ("act", "over")


def test_egg_of_other_owner_is_no_returned_piece():
    table = after_column_scored(0.5, owners=True).drop("c3", owner=Side.LIGHT)
    assert [hypothesis for hypothesis in table.session.board_state.hypotheses if hypothesis.acts]
    assert not [hypothesis for hypothesis in table.session.board_state.hypotheses if hypothesis.put_back]
    table = after_column_scored(0.5, owners=False).drop("c3")
    assert [hypothesis for hypothesis in table.session.board_state.hypotheses if hypothesis.put_back]


def with_owners(line=QUIET):
    """The table of a board whose sensors know owners, and a function that returns its hypotheses."""
    table = sit_down(line, owners=True)
    return table, lambda: table.session.board_state.hypotheses


def test_piece_of_other_side_is_not_the_lifted_one():
    table, hypotheses = with_owners()
    table.lift("a1").wait(1.0).drop("c3", owner=Side.DARK)
    assert hypotheses()
    assert not any(piece.origin for each in hypotheses() for piece in each.unexplained.values())


def test_piece_of_other_side_was_not_slid():
    table, hypotheses = with_owners()
    table.drop("c2", owner=Side.DARK).wait(0.06).lift("b2")
    assert not any(Action("b2", "c2") in each.actions for each in hypotheses())
    assert taken(table.wait(HOLD)) == ""


def test_egg_of_other_side_replaces_scored_piece():
    """The sensor sees no pause in between that is long enough to settle."""
    table = sit_down(CLEARED, owners=True).act(Action("d3", "c3"), ("lift first", 0.5)).wait(1.0)
    table.lift("c3").wait(0.05).drop("c3", owner=Side.LIGHT).wait(0.5)
    assert taken(table) == "d3c3 @c3"


# Pieces that nobody turns over, or later


def test_moved_piece_is_flipped_during_next_action():
    table = put(sit_down("e..f/..../..../E..F l 11 11 0 0", asks_to_flip=True), "b1", "c3")
    table.lift("a1").wait(0.4).drop("a2").wait(0.5)
    assert (taken(table), table.shown(CellRole.PENDING)) == ("@b1 @c3", ["a1", "a2"])
    table.lift("a2").wait(0.4).drop("c4").wait(0.3).drop("a2").wait(0.5)
    assert (taken(put(table, "b4")), table.phase) == ("@b1 @c3 a1a2 @c4 @b4", "act")


def eggs_scoring_developed_pieces(seed):
    """After a turn: the table at rest, the turn, an egg that scores, and the cells of what developed and scores with it."""
    for turn in sampled_turns(60, SMALL + LARGE, seed, scoring=False):
        developed_cells = {developed.cell for developed in turn.developed_pieces}
        table = PiecesTable.at(turn.before).act(turn.action).wait(1.0)
        for action in legal_actions(turn.after):
            scored_cells = gone(play(turn.after, action)) & developed_cells - {action.target}
            if action.source is None and scored_cells:
                yield table.fork(), turn, action, scored_cells


@pytest.mark.slow
def test_piece_scored_during_flip_is_no_egg():
    """It was lifted a moment after the egg landed, before anybody could see that it scored."""
    tried = 0
    for table, turn, action, scored_cells in eggs_scoring_developed_pieces(5):
        cell = min(scored_cells)
        table.drop(action.target).wait(0.08).lift(cell).wait(2.0).drop(cell).wait(10.0)
        with drawing(table, turn.action, "then", action, "while somebody turns over", cell):
            assert table.actions == (turn.action, action)
        tried += 1
    assert tried > 5


def test_action_during_flip_counts_when_piece_is_back():
    table = put(sit_down(PRESSED, asks_to_flip=True), "b1").lift("a1").wait(0.5).drop("c3").wait(0.5)
    assert (taken(table), table.shown(CellRole.PENDING), table.shown(CellRole.PUT)) == ("@b1", ["c3"], ["a1"])
    assert taken(table.wait(60)) == "@b1"
    assert taken(table.drop("a1").wait(0.5)) == "@b1 @c3"


def test_action_during_flip_counts_with_next_action():
    table = put(put(sit_down(PRESSED, asks_to_flip=True), "b1").lift("a1").wait(0.5), "c3", "a4")
    assert taken(table) == "@b1 @c3"
    assert taken(put(table, "a1", "b4")) == "@b1 @c3 @a4 @b4"


@pytest.mark.slow
def test_piece_scored_during_flip_need_not_return():
    tried = 0
    for table, turn, action, scored_cells in eggs_scoring_developed_pieces(7):
        for cell in sorted(scored_cells):
            if Action(cell, action.target) not in legal_actions(turn.after):  # or it looks as if it had gone there
                after = table.fork().lift(cell).wait(1.0).drop(action.target).wait(HOLD + 1.0)
                with drawing(after, turn.action, "then", action, "while somebody turns over", cell):
                    assert after.actions == (turn.action, action)
                tried += 1
    assert tried > 5


def test_needless_flip_does_not_delay_action():
    """Nobody need turn over plain pieces; somebody does, and the next player acts at once."""
    table = sit_down(QUIET).lift("d4").wait(1.0).drop("d4").wait(0.15).drop("c3").wait(0.5)
    assert (taken(table), table.phase) == ("@c3", "act")


# Plain pieces that people turn over all the same


def test_egg_beside_returned_piece_counts():
    table = turn_over(sit_down("tFtE/Fe.F/.t.F/tetE d 1 1 4 3", "small-11"), "c4", every=0.2)
    turn_over(put(table, "c3", every=1.8), "b3", "d3", "c4")
    assert taken(put(table, "a2")) == "@c3 @a2"


def test_needless_flips_between_turns_take_no_turn():
    table = remove_scored(sit_down("eEtF/tT.F/..t./FEf. d 1 2 6 6").act(Action("c1", "c3")).wait(1.0))
    turn_over(put(table, "c1", every=1.8), "b3", "d3", "b1")
    turn_over(put(table, "c2", every=1.8), "c1", every=0.8)
    table.lift("b3").wait(0.5).drop("b2").wait(0.5)
    assert taken(table) == "c1c3 @c1 @c2 b3b2"


def test_egg_on_source_of_last_move_counts():
    """An egg on the cell from which the piece before it has come."""
    table = remove_scored(sit_down("t.e./tef./E.../tfFt d 9 6 3 0", "small-14").act(Action("b1", "b2")).wait(1.0))
    turn_over(put(table, "a2", every=1.8), "b3", "b2")
    table.lift("b3").wait(0.5).drop("a3").wait(1.3)
    put(turn_over(table, "a2", every=0.8), "b3", every=1.8)
    assert taken(put(turn_over(table, "b2", "a3", "c3"), "d2").wait(HOLD)) == "b1b2 @a2 b3a3 @b3 @d2"


def test_undo_involves_no_flips():
    """Two eggs where pieces have just scored, three seconds apart."""
    table = remove_scored(sit_down("e.FE/F.EF/eeFf/fFtT d 3 5 0 0", "small-11").act(Action(None, "b4")).wait(1.0))
    put(turn_over(put(table, "d4", every=1.8), "d3", every=0.8), "b4", every=1.8)
    turn_over(table, "a4", every=0.8).lift("c2").wait(0.5).drop("c4").wait(1.3)
    turn_over(table, "c3", "b4", "d4").lift("b4").wait(0.5).drop("b3").wait(0.5)
    assert taken(table) == "@b4 @d4 @b4 c2c4 b4b3"


# Hands of two people that overlap


def test_likelier_of_two_equal_sequences_counts():
    """A tadpole is slid on; or an egg lands in front of it just as the other side lifts it to turn it over.

    Both are allowed, so is all that may follow, and no sensor tells one from the other.
    """
    table = sit_down("..../..e./E.T./...e l 11 11 0 0", asks_to_flip=True)
    assert {Action("c2", "c1"), Action(None, "c1")} <= set(legal_actions(table.position))
    table.drop("c1").wait(0.06).lift("c2").wait(0.5)
    assert taken(table) == "c2c1"
    assert Action(None, "c2") in legal_actions(table.position)  # so even its return is an action, if it was slid


def test_lift_just_before_egg_of_other_side():
    """It may have been knocked aside; but then somebody would put it right, and not play on."""
    table = sit_down("EFf./t.../tt.f/FET. l 1 0 7 8").lift("d2").wait(0.1).drop("c3").wait(6.4)
    table.lift("b4").wait(0.1).drop("d1").wait(5.9)
    table.lift("d1").wait(0.1).drop("b3").wait(5.9)
    table.lift("b3").wait(0.1).drop("d2").wait(6.0)
    assert taken(table) == "@c3 d2d1 b4b3 d1d2"


def test_removal_of_scored_piece_confirms_turn():
    """The egg landed beside the piece that scored at nearly the same moment: that piece may have been off its middle."""
    table = (
        sit_down("..tT/e..F/.t.T/.FE. l 5 4 0 3", "mini").lift("b1").wait(0.5).drop("d1").wait(0.1).drop("c2").wait(3.0)
    )
    remove(table, "d1", "d2", "d3", every=0.6)
    assert taken(table) == "b1d1" or table.shown(CellRole.PENDING)
    assert taken(table.wait(2 * HOLD)) == "b1d1 @c2"


# Corrections


def test_moving_piece_on_at_once_corrects_turn():
    table = sit_down(QUIET).drop("c3").wait(0.5)
    assert taken(table) == "@c3"
    table.lift("c3").wait(0.3).drop("c2").wait(HOLD + 0.5)
    assert taken(table) == "@c2"


def test_correction_keeps_earlier_removals():
    table = remove(put(sit_down(PRESSED), "b1"), "a2", "b2").wait(1.0).drop("b3").wait(0.5)
    assert taken(table) == "@b1 @b3"
    table.lift("b3").wait(0.3).drop("b4").wait(HOLD + 0.5)
    assert taken(table) == "@b1 @b4"
    assert table.shown(CellRole.TAKE_OFF) == ["c2"]


def test_following_lamps_is_no_turn():
    """Two pieces have slipped; somebody moves the first one just as the lamps show, and not to act with it."""
    table = sit_down(QUIET).lift("b2", "d1").wait(0.1).drop("b3", "d2").wait(2.0)
    assert (taken(table), table.phase) == ("", "differs")
    while not table.at_rest():
        (step, *_) = table.session.board_state.confirmation.interpretation.repair_steps
        table.lift(step.source).wait(0.1).drop(step.target).wait(0.5)
    assert taken(table) == ""


# Whatever happens


@given(
    games(ponds=SMALL + LARGE, actions=40),
    st.lists(st.tuples(st.integers(0, 999), st.sampled_from((0.02, 0.1, 0.3, 0.6, 1.0))), max_size=30),
    st.booleans(),
)
def test_hypotheses_are_few_and_legal(game, todo, asks_to_flip):
    """Hands act, touch and lift at any pace."""
    table = PiecesTable.at(game.position, asks_to_flip=asks_to_flip)
    for number, pause in todo:
        legal, cells = legal_actions(table.position), table.position.grid.cells
        if legal and number % 3:
            for cell, down in changes(legal[number % len(legal)]):
                table.touch(cell, down, None)
        else:
            cell = cells[number % len(cells)]
            table.touch(cell, cell not in table.detected, None)
        table.wait(pause)
        hypotheses = table.session.board_state.hypotheses
        assert len(hypotheses) <= ODDS.max_hypotheses
        for hypothesis in hypotheses:
            position = table.position
            for act in hypothesis.acts if not hypothesis.corrected_count else ():
                assert act.turn == play(position, act.turn.action)
                position = act.turn.after
            assert hypothesis.total_cost(table.time) < inf


def test_unremoved_scored_piece_on_masked_cell_is_doubtful():
    """A masked sensor was taken for a piece that was removed."""
    table = sit_down(HOP_THAT_SCORES).act(Action("d3", "b3"), ("lift first", 0.5)).wait(1.0)
    board_state = table.session.board_state
    tasks = replace(board_state.tasks, recently_removed={"b3": board_state.tasks.to_remove["b3"]})
    assert is_doubtful(table.position, replace(board_state, tasks=tasks), Action(None, "b3"))
