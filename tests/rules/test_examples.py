"""Examples from the rulebook, turn by turn. Its pictures are lost, so the boards are redrawn from the text."""

from pond_hw.rules import DARK, LIGHT, Action, EndReason, Outcome, find_outcome, legal_actions, parse_variant, play
from tests.rules.positions import board, pieces


def take(position, text):
    return play(position, Action.from_notation(text))


def targets(position, source):
    """Return the cells that a piece can reach."""
    return {action.target for action in legal_actions(position) if action.source == source}


# The three worked examples


def test_example_1_scores_a_set():
    before = board("""
        4 . . . .
        3 e t . .
        2 F . f .
        1 . . E .
          a b c d
    """)
    turn = take(before, "@b2")
    # Three neighbours develop; the new egg itself does not, nor do the two eggs at its corners.
    assert [d.cell for d in turn.developed_pieces] == ["a2", "c2", "b3"]
    assert turn.pieces_after_develop == pieces("""
        4 . . . .
        3 e f . .
        2 E E e .
        1 . . E .
          a b c d
    """)
    assert turn.sets == (("a2", "b2", "c2"),)
    assert turn.after == board(
        """
        4 . . . .
        3 e f . .
        2 . . . .
        1 . . E .
          a b c d
        """,
        to_move=DARK,
        scored=(2, 1),
    )


def test_example_2_develops_pieces():
    before = board("""
        4 . t . .
        3 f . F .
        2 . e . .
        1 . F . .
          a b c d
    """)
    turn = take(before, "b1b3")
    # It looked like three frogs in a row, but its two neighbours are no longer frogs.
    assert turn.sets == ()
    assert turn.after == board(
        """
        4 . f . .
        3 e F E .
        2 . t . .
        1 . . . .
          a b c d
        """,
        to_move=DARK,
    )


def test_example_3_scores_multiple_sets():
    before = board("""
        4 F E T e
        3 e t e T
        2 . T . f
        1 f . E F
          a b c d
    """)
    turn = take(before, "b2c2")
    assert [d.cell for d in turn.developed_pieces] == ["c1", "d2", "c3"]
    assert turn.pieces_after_develop == pieces("""
        4 F E T e
        3 e t t T
        2 . . T e
        1 f . T F
          a b c d
    """)
    assert turn.sets == (("b3", "c3", "d3"), ("c1", "c2", "c3", "c4"))
    assert turn.after == board(
        """
        4 F E . e
        3 e . . .
        2 . . . e
        1 f . . F
          a b c d
        """,
        to_move=DARK,
        scored=(4, 2),
    )


# Action


def test_light_begins_with_an_egg_anywhere():
    start = board("""
        4 . . . .
        3 . . . .
        2 . . . .
        1 . . . .
          a b c d
    """)
    assert start.to_move is LIGHT
    assert len(legal_actions(start)) == 16
    after = take(start, "@d4").after
    assert after.to_move is DARK
    assert after.spawn == (12, 13)


def test_dark_places_from_its_own_spawn():
    position = board(
        """
        4 . . . .
        3 . . . .
        2 . E . .
        1 . . . .
          a b c d
        """,
        to_move=DARK,
    )
    assert take(position, "@d4").after.spawn == (12, 12)


def test_eggs_never_move():
    position = board("""
        4 . . . .
        3 . E . .
        2 . . . .
        1 . . . E
          a b c d
    """)
    assert all(action.source is None for action in legal_actions(position))


def test_tadpole_moves_one_step():
    position = board("""
        4 . . . .
        3 . e . .
        2 . T . .
        1 . . . .
          a b c d
    """)
    assert targets(position, "b2") == {"a2", "c2", "b1"}


def test_frog_moves_one_or_two_steps():
    position = board(
        """
        5 . . . . .
        4 . . . . .
        3 . . F . .
        2 . . . . .
        1 . . . . .
          a b c d e
        """,
        pond=parse_variant("big"),
    )
    assert targets(position, "c3") == {"a3", "b3", "d3", "e3", "c1", "c2", "c4", "c5"}


def test_frog_hops_over_pieces_of_both_sides():
    position = board("""
        4 . . . .
        3 t . . .
        2 E . . .
        1 F e . .
          a b c d
    """)
    # Up, a piece blocks a2 and the cell behind it is taken; to the right the frog jumps over the dark egg.
    assert targets(position, "a1") == {"c1"}
    over_dark = take(position, "a1c1").after
    assert over_dark.piece_at("b1") == pieces("1 . t")["b1"]  # still dark; as a neighbour it developed

    position = board("""
        4 . . . .
        3 . . . .
        2 E . . .
        1 F . . .
          a b c d
    """)
    over_own = take(position, "a1a3").after
    assert over_own == board(
        """
        4 . . . .
        3 F . . .
        2 T . . .
        1 . . . .
          a b c d
        """,
        to_move=DARK,
    )


def test_frog_never_hops_two_pieces_or_changes_direction():
    position = board("""
        4 . . . .
        3 . . . .
        2 . . . .
        1 F e t .
          a b c d
    """)
    assert targets(position, "a1") == {"a2", "a3"}


def test_moves_do_not_wrap_around_edges():
    position = board("""
        4 . . . .
        3 . . . .
        2 . . . F
        1 . . . T
          a b c d
    """)
    assert targets(position, "d1") == {"c1"}
    assert targets(position, "d2") == {"c2", "b2", "d3", "d4"}


# Develop


def test_neighbours_develop_simultaneously():
    before = board("""
        4 . . . .
        3 . t . .
        2 E . F .
        1 . . . .
          a b c d
    """)
    assert take(before, "@b2").after == board(
        """
        4 . . . .
        3 . f . .
        2 T E E .
        1 . . . .
          a b c d
        """,
        to_move=DARK,
    )


def test_piece_that_acted_does_not_develop():
    before = board("""
        4 . . . .
        3 . . e .
        2 . T . E
        1 . . . .
          a b c d
    """)
    turn = take(before, "b2c2")
    assert str(turn.acted_piece) == "light tadpole"
    assert turn.after == board(
        """
        4 . . . .
        3 . . t .
        2 . . T T
        1 . . . .
          a b c d
        """,
        to_move=DARK,
    )


def test_neighbours_of_source_cell_do_not_develop():
    before = board("""
        4 . . . .
        3 e . . .
        2 F . . .
        1 t . . .
          a b c d
    """)
    turn = take(before, "a2c2")
    assert turn.developed_pieces == ()
    assert turn.pieces_after_develop["a3"] == before.piece_at("a3")


def test_diagonals_do_not_develop():
    before = board("""
        4 . . . .
        3 e . T .
        2 . . . .
        1 f . E .
          a b c d
    """)
    assert take(before, "@b2").developed_pieces == ()


def test_row_end_is_not_adjacent_to_next_row():
    before = board("""
        4 . . . .
        3 . . . .
        2 e . . .
        1 . . . .
          a b c d
    """)
    assert take(before, "@d1").developed_pieces == ()
    assert take(before, "@d3").developed_pieces == ()


# Score


def test_plus_scores_five_pieces():
    before = board("""
        4 . . . .
        3 . f . .
        2 F . f .
        1 . F . .
          a b c d
    """)
    turn = take(before, "@b2")
    assert turn.sets == (("a2", "b2", "c2"), ("b1", "b2", "b3"))
    assert turn.scored_cells == {LIGHT: ("b1", "a2", "b2"), DARK: ("c2", "b3")}
    assert turn.after.scored == (3, 2)
    assert turn.after.pieces == {}


def test_set_of_four_scores_four_pieces():
    before = board("""
        4 . . . .
        3 . . . .
        2 e F . F
        1 . . . .
          a b c d
    """)
    turn = take(before, "@c2")
    assert turn.sets == (("a2", "b2", "c2", "d2"),)
    assert turn.after.scored == (3, 1)


def test_set_of_four_may_be_away_from_edge():
    before = board(
        """
        5 . . . . .
        4 . . . . .
        3 e F . F t
        2 . . . . .
        1 . . . . .
          a b c d e
        """,
        pond=parse_variant("big"),
    )
    turn = take(before, "@c3")
    assert turn.sets == (("a3", "b3", "c3", "d3"),)
    assert str(turn.after.piece_at("e3")) == "dark tadpole"


def test_set_of_five_scores_five_pieces():
    before = board(
        """
        5 . . E . .
        4 . . f . .
        3 . . . . .
        2 . . f . .
        1 . . e . .
          a b c d e
        """,
        pond=parse_variant("big"),
    )
    turn = take(before, "@c3")
    assert turn.sets == (("c1", "c2", "c3", "c4", "c5"),)
    assert turn.after.scored == (2, 3)


def test_separate_sets_score_together():
    before = board("""
        4 . . . .
        3 t e T .
        2 . . . .
        1 F t F .
          a b c d
    """)
    turn = take(before, "@b2")
    assert set(turn.sets) == {("a3", "b3", "c3"), ("a1", "b1", "c1")}
    assert turn.after == board(
        """
        4 . . . .
        3 . . . .
        2 . E . .
        1 . . . .
          a b c d
        """,
        to_move=DARK,
        scored=(3, 3),
    )


def test_adjacent_sets_score_together():
    before = board("""
        4 . . . .
        3 . . . .
        2 f . F .
        1 E f e .
          a b c d
    """)
    turn = take(before, "@b2")
    assert turn.sets == (("a1", "b1", "c1"), ("a2", "b2", "c2"))
    assert turn.after.scored == (3, 3)


def test_set_may_score_for_opponent_only():
    before = board("""
        4 . . . .
        3 t e t .
        2 . . . .
        1 . . . .
          a b c d
    """)
    turn = take(before, "@b2")
    assert turn.scored_cells == {LIGHT: (), DARK: ("a3", "b3", "c3")}
    assert turn.after.scored == (0, 3)


def test_moved_piece_may_score():
    before = board("""
        4 . . . .
        3 . T . .
        2 e . E .
        1 . . . .
          a b c d
    """)
    turn = take(before, "b3b2")
    assert turn.scored_cells == {LIGHT: ("b2", "c2"), DARK: ("a2",)}
    assert turn.after.piece_at("b2") is None


def test_scored_pieces_do_not_return_to_spawn():
    before = board("""
        4 . . . .
        3 t e t .
        2 . . . .
        1 . . . .
          a b c d
    """)
    assert take(before, "@b2").after.spawn == (12, 10)


def test_diagonals_do_not_score():
    before = board("""
        4 . . . .
        3 . . E .
        2 . e . .
        1 . . . .
          a b c d
    """)
    assert take(before, "@a1").sets == ()


def test_interrupted_line_does_not_score():
    before = board("""
        4 . E T e
        3 . . . .
        2 . . . .
        1 e e . E
          a b c d
    """)
    assert take(before, "@a4").sets == ()


def test_line_does_not_wrap_around_edge():
    before = board("""
        4 . . . .
        3 . . . .
        2 e . . .
        1 . . e .
          a b c d
    """)
    turn = take(before, "@d1")
    assert turn.sets == ()
    assert turn.after.scored == (0, 0)


# The end


def test_standard_game_ends_at_ten_pieces():
    before = board(
        """
        4 . . . .
        3 T E T .
        2 . . . .
        1 . . . .
          a b c d
        """,
        scored=(6, 8),
    )
    assert take(before, "@b2").outcome is None
    before = board(
        """
        4 . . . .
        3 T E T .
        2 . . . .
        1 . . . .
          a b c d
        """,
        scored=(7, 8),
    )
    turn = take(before, "@b2")
    assert turn.after.scored == (10, 8)
    assert turn.outcome == Outcome(LIGHT, EndReason.SCORE)
    assert legal_actions(turn.after) == ()


def test_eight_beats_seven_beyond_the_target():
    before = board(
        """
        4 . . . .
        3 T E T t
        2 . . . .
        1 . . . .
          a b c d
        """,
        scored=(5, 6),
        pond=parse_variant("mini"),
    )
    turn = take(before, "@b2")
    assert turn.after.scored == (8, 7)
    assert turn.outcome == Outcome(LIGHT, EndReason.SCORE)


def test_turn_may_win_for_the_opponent():
    before = board(
        """
        4 . . . .
        3 t e T .
        2 . . . .
        1 . . . .
          a b c d
        """,
        scored=(6, 6),
        pond=parse_variant("mini"),
    )
    turn = take(before, "@b2")
    assert turn.after.scored == (7, 8)
    assert turn.outcome == Outcome(DARK, EndReason.SCORE)


def test_equal_scores_beyond_the_target_are_a_draw():
    before = board(
        """
        4 . . . .
        3 t E T .
        2 . . . .
        1 . . . .
          a b c d
        """,
        scored=(5, 6),
        pond=parse_variant("mini"),
    )
    turn = take(before, "@b2")
    assert turn.after.scored == (7, 7)
    assert turn.outcome == Outcome(None, EndReason.SCORE)


def test_side_without_eggs_or_moves_is_eliminated():
    before = board(
        """
        4 e . . e
        3 . . . E
        2 E . . .
        1 t e . .
          a b c d
        """,
        scored=(5, 9),
    )
    assert before.spawn[DARK] == 0
    # Dark has three eggs and a walled-in tadpole.
    turn = take(before, "@b3")
    assert legal_actions(turn.after) == ()
    assert turn.outcome == Outcome(LIGHT, EndReason.ELIMINATION)


def test_side_without_empty_cell_is_eliminated():
    before = board(
        """
        4 F F t F
        3 T T f .
        2 E F t t
        1 t T e F
          a b c d
        """,
        to_move=DARK,
    )
    turn = take(before, "@d3")
    assert turn.after == board(
        """
        4 F F t E
        3 T T e e
        2 E F t f
        1 t T e F
          a b c d
        """
    )
    assert turn.after.spawn == (4, 6)  # there are eggs, but no free cell
    assert turn.outcome == Outcome(DARK, EndReason.ELIMINATION)


def test_reaching_target_wins_even_if_opponent_cannot_act():
    before = board(
        """
        4 e . . e
        3 T E T .
        2 . . . .
        1 e . . e
          a b c d
        """,
        scored=(7, 9),
    )
    turn = take(before, "@b2")
    assert turn.after.spawn[DARK] == 0
    assert turn.outcome == Outcome(LIGHT, EndReason.SCORE)


def test_reaching_target_wins_even_without_legal_actions():
    before = board(
        """
        4 e . . e
        3 T E t .
        2 . . . .
        1 e . . .
          a b c d
        """,
        scored=(2, 9),
    )
    turn = take(before, "@b2")
    # Dark has three eggs, no spawn and ten scored pieces: that is a win, not an elimination.
    assert turn.after.spawn[DARK] == 0
    assert turn.outcome == Outcome(DARK, EndReason.SCORE)


def test_side_that_can_only_move_is_not_eliminated():
    position = board(
        """
        4 e . . e
        3 . . . E
        2 . . . .
        1 t e . .
          a b c d
        """,
        to_move=DARK,
        scored=(5, 9),
    )
    assert position.spawn[DARK] == 0
    assert find_outcome(position) is None
    assert [str(action) for action in legal_actions(position)] == ["a1a2"]
