"""Everything that is written down: positions, actions, variants and records.

The readers are strict. What they refuse, they refuse with a sentence that says what is wrong and where;
the tables hold the bad text and the words that must be in that sentence.
"""

import doctest
from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pond_hw.rules
import pond_hw.rules.record as record_module
from pond_hw.rules import (
    DARK,
    LIGHT,
    STANDARD,
    VARIANTS,
    Action,
    EndReason,
    NotationError,
    Outcome,
    PondError,
    Position,
    Record,
    RecordError,
    Variant,
    get_grid,
    parse_record,
    parse_variant,
)
from tests.conftest import each
from tests.rules.positions import games, games_set_up, positions

START = "..../..../..../.... l 13 13 0 0"
MIDDLE = ".tt./..FE/ft.T/T..T l 1 1 7 8"


def refused(error, reader, *text):
    """The sentence with which the reader refuses this text."""
    with pytest.raises(error) as caught:
        reader(*text)
    return str(caught.value)


# Positions


def test_a_position_reads_as_it_looks():
    position = Position.from_notation(MIDDLE)
    assert str(position) == (
        "  a b c d\n"
        "4 . t t . 4\n"
        "3 . . F E 3\n"
        "2 f t . T 2\n"
        "1 T . . T 1\n"
        "  a b c d\n"
        "light to move\n"
        "light: 1 in the spawn, 7 scored\n"
        "dark: 1 in the spawn, 8 scored"
    )
    assert str(position.piece_at("c3")) == "light frog"
    assert position.piece_at("a4") is None
    assert position.notation_line == MIDDLE


def test_four_rows_are_standard_and_five_are_big():
    assert Position.from_notation(START).variant == STANDARD
    assert Position.from_notation("...../...../...../...../..... d 14 14 0 0").variant == VARIANTS["big"]


def test_three_rows_can_be_read_once_the_variant_is_named():
    assert Position.from_notation("E../.../..e d 8 8 0 0", parse_variant("3x3/9/5")).grid.size == 3


@each(
    ("line", "words"),
    [
        ("", "six parts"),
        ("..../..../..../.... l 13 13 0", "this has 5"),
        ("..../..../..../.... l 13 13 0 0 0", "this has 7"),
        (" " + START, "one space between them"),
        (START + " ", "this has 7"),
        (START.replace(" l ", "  l "), "this has 7"),
        (START.replace(" ", "\t"), "one space between them"),
        (START + "\n", r"Dark's score must be a whole number from 0 to 25, not '0\n'"),
        ("\n" + START, r"Row 4 is '\n....': it must have 4 cells, not 5"),
        ("../.. l 13 13 0 0", "3, 4 or 5 rows, not 2"),
        ("/".join(["......"] * 6) + " l 13 13 0 0", "3, 4 or 5 rows, not 6"),
        (".../.../... l 9 9 0 0", "three rows needs its variant to be named"),
        ("..../.../..../.... l 13 13 0 0", "Row 3 is '...': it must have 4 cells, not 3"),
        ("..../..../..../..... l 13 13 0 0", "Row 1 is '.....': it must have 4 cells, not 5"),
        ("4/4/4/4 l 13 13 0 0", "Row 4 is '4'"),
        ("..../..../..x./.... l 13 13 0 0", "c2 holds 'x'"),
        ("...N/..../..../.... l 13 13 0 0", "d4 holds 'N'"),
        ("..../..../..../Е... l 12 13 0 0", "a1 holds 'Е'"),  # looks like an E, and is a Cyrillic letter
        (START.replace("l", "L"), "The side to move is l or d, not 'L'"),
        (START.replace("l", "light"), "The side to move is l or d, not 'light'"),
        (START.replace("l", ""), "The side to move is l or d, not ''"),
        ("..../..../..../.... l -1 13 0 0", "Light's spawn must be a whole number from 0 to 25, not '-1'"),
        ("..../..../..../.... l 13 +13 0 0", "Dark's spawn must be a whole number from 0 to 25, not '+13'"),
        ("..../..../..../.... l 013 13 0 0", "Light's spawn must be a whole number from 0 to 25, not '013'"),
        ("..../..../..../.... l 13 13 00 0", "Light's score must be a whole number from 0 to 25, not '00'"),
        ("..../..../..../.... l 13 13 0 -0", "Dark's score must be a whole number from 0 to 25, not '-0'"),
        ("..../..../..../.... l 13 13 0 x", "Dark's score must be a whole number from 0 to 25, not 'x'"),
        ("..../..../..../.... l 1e1 13 0 0", "not '1e1'"),
        ("..../..../..../.... l 13.0 13 0 0", "not '13.0'"),
        ("..../..../..../.... l 1_3 13 0 0", "not '1_3'"),
        ("..../..../..../.... l ١٣ 13 0 0", "not '١٣'"),
        ("..../..../..../.... l 13 13 0 ⁰", "not '⁰'"),
        (f"..../..../..../.... l {'9' * 5000} 13 0 0", "Light's spawn must be a whole number from 0 to 25"),
        ("..../..../..../.... l 99 13 0 0", "Light's spawn must be a whole number from 0 to 25, not '99'"),
        ("..../..../..../.... l 12 13 0 0", "12 pieces, but each side has 13 in the standard pond"),
        ("..../..../..../...e l 13 13 0 0", "Dark has 1 on the board, 13 in the spawn and 0 scored: 14 pieces"),
        ("..../..../..../.... l 13 13 0 3", "Dark has 0 on the board, 13 in the spawn and 3 scored: 16 pieces"),
        ("..../.EeE/..../.... l 11 12 0 0", "A set of eggs is left standing on b3, c3, d3"),
        ("t.../t.../t.../T... l 12 10 0 0", "A set of tadpoles is left standing on a1, a2, a3, a4"),
        ("..../..../..../.fFf l 12 11 0 0", "A set of frogs is left standing on b1, c1, d1"),
    ],
)
def test_a_bad_position_is_refused_with_what_and_where(line, words):
    assert words in refused(NotationError, Position.from_notation, line)


@each(
    ("line", "name", "words"),
    [
        (START, "big", "The big pond has 5 rows; this position has 4"),
        (START, "3x3/9/5", "The 3x3/9/5 pond has 3 rows; this position has 4"),
        (START, "mini", "13 pieces, but each side has 10 in the mini pond"),
        (START, "small-14", "13 pieces, but each side has 14 in the small-14 pond"),
    ],
)
def test_a_position_that_does_not_fit_its_variant(line, name, words):
    assert words in refused(NotationError, Position.from_notation, line, parse_variant(name))


def test_a_position_may_be_pasted_back_from_what_python_shows():
    position = Position.from_notation("E../.../..e d 8 8 0 0", parse_variant("3x3/9/5"))
    assert repr(position) == "Position.from_notation('E../.../..e d 8 8 0 0', parse_variant('3x3/9/5'))"


def test_the_example_at_the_top_of_the_rules_is_true():
    examples = doctest.testmod(pond_hw.rules)
    assert examples.attempted > 0
    assert examples.failed == 0


def test_asking_for_a_cell_that_is_not_there():
    assert refused(NotationError, Position.from_notation(START).piece_at, "e1") == "e1 is not a cell of a 4x4 pond."


# Actions


def test_actions_read_as_they_are_written():
    assert Action.from_notation("@b2") == Action(None, "b2")
    assert Action.from_notation("b2b4") == Action("b2", "b4")
    assert [str(Action.from_notation(text)) for text in ("@a1", "e5e3")] == ["@a1", "e5e3"]


@each(
    "text",
    [
        *("", "@", "b2", "b2-b3", "b2b3b4", "@@b2", "b2@b3", " @b2", "@b2 ", "@b2\n", "@B2", "@a0", "@a6", "@f1"),
        *("@a١", "@b²", "а1а2"),  # digits and letters that only look right
    ],
)
def test_a_bad_action_is_refused(text):
    told = refused(NotationError, Action.from_notation, text)
    assert "An action is written @b2 (place an egg) or b2b3 (move a piece)" in told
    assert repr(text) in told


# Variants and grids


def test_the_named_ponds():
    assert [tuple(pond) for pond in VARIANTS.values()] == [
        ("standard", 4, 13, 10),
        ("mini", 4, 10, 7),
        ("big", 5, 14, 10),
        ("small-11", 4, 11, 7),
        ("small-13", 4, 13, 10),
        ("small-14", 4, 14, 10),
        ("big-15", 5, 15, 10),
    ]
    assert all(parse_variant(name) == pond and str(pond) == name for name, pond in VARIANTS.items())
    assert parse_variant("standard") == STANDARD


def test_ponds_of_ones_own():
    assert parse_variant("3x3/9/5") == Variant("3x3/9/5", 3, 9, 5)
    assert parse_variant("5x5/25/25") == Variant("5x5/25/25", 5, 25, 25)
    assert parse_variant("4x4/1/1") == Variant("4x4/1/1", 4, 1, 1)


@each(
    ("text", "words"),
    [
        ("", "There is no variant ''"),
        ("nosuch", "There are standard, mini, big, small-11, small-13, small-14, big-15, and custom ones"),
        ("Standard", "There is no variant 'Standard'"),
        ("standard ", "There is no variant 'standard '"),
        ("standard\n", r"There is no variant 'standard\n'"),
        ("3x3", "custom ones such as 3x3/9/5 (grid, eggs of each side, pieces that win)"),
        ("3x3/9", "There is no variant '3x3/9'"),
        ("3x3/9/5/1", "There is no variant"),
        ("3x3/9/5\n", "There is no variant"),
        ("3X3/9/5", "There is no variant"),
        ("3x3/09/5", "There is no variant"),
        ("3x3/9/-5", "There is no variant"),
        ("3x3/٩/5", "There is no variant"),
        ("2x2/4/3", "the grid is 3x3, 4x4 or 5x5, not 2x2"),
        ("6x6/9/5", "the grid is 3x3, 4x4 or 5x5, not 6x6"),
        ("4x5/9/5", "the grid is 3x3, 4x4 or 5x5, not 4x5"),
        ("3x3/26/5", "each side starts with 1 to 25 eggs, not 26"),
        ("3x3/9/10", "10 pieces cannot be scored with only 9 eggs"),
        ("3x3/0/0", "3x3/0/0"),
        ("3x3/9/0", "3x3/9/0"),
        (f"3x3/{'9' * 5000}/5", "There is no variant"),
    ],
)
def test_a_bad_variant_is_refused(text, words):
    assert words in refused(NotationError, parse_variant, text)


@each("size", [-1, 0, 2, 6])
def test_a_pond_of_another_size_is_refused(size):
    assert refused(PondError, get_grid, size) == f"A pond has 3, 4 or 5 rows, not {size}."


def test_cells_are_named_as_in_chess():
    assert get_grid(4).cells[:5] == ("a1", "b1", "c1", "d1", "a2")
    assert get_grid(4).rows[0] == ("a4", "b4", "c4", "d4")
    assert get_grid(5).cell_coordinates("d2") == (3, 1)


# Records

GAME = """\
[Variant "mini"]
[Light "Ada"]
[Dark "Ben"]
[Result "dark 8-7"]

1. @d1 @c4 2. @d4 @a2 3. @d2 @b2 4. @b1 @a1 5. @c1 @a3 6. d1d3 @a3 7. b1d1 @c2 8. @b1
@b4 9. @d1 @a4 10. @c3 @a2 11. @d2 b4b3 12. @a4 b2b4 13. c3d3 c4c3 14. d4d2
{eight beat seven}
"""


def test_a_record_is_a_whole_game():
    record = parse_record(GAME)
    assert record.variant == VARIANTS["mini"]
    assert record.tags == {"Light": "Ada", "Dark": "Ben"}
    assert len(record.turns) == 27
    assert record.position.notation_line == "Tf../.e../...F/.E.. d 0 0 7 8"
    assert record.outcome == Outcome(DARK, EndReason.SCORE)
    assert record.comments == {27: "eight beat seven"}
    assert str(record) == GAME


def test_a_game_that_has_not_begun():
    record = Record()
    assert record.position.notation_line == START
    assert record.outcome is None
    assert str(record) == '[Variant "standard"]\n[Result "*"]\n\n'
    assert parse_record(str(record)) == record


def test_a_record_without_tags_is_a_standard_game():
    record = parse_record("1. @b2 @c3")
    assert record.variant == STANDARD
    assert record.result_text == "*"


@each("text", ["", "\n \n", "\ufeff"])
def test_an_empty_file_holds_no_game(text):
    assert refused(RecordError, parse_record, text) == "The record is empty: there is no game in it."


def test_lines_may_end_and_files_may_begin_as_on_other_machines():
    record = parse_record(GAME)
    assert parse_record(GAME.replace("\n", "\r\n")) == record
    assert parse_record(GAME.replace("\n", "\r")) == record
    assert parse_record("\ufeff" + GAME) == record
    assert parse_record(GAME.rstrip("\n")) == record
    assert parse_record("\n" + GAME + "\n\n") == record
    assert parse_record(GAME.replace('[Light "Ada"]', '  [Light "Ada"] ')) == record


def test_comments_stand_anywhere_and_run_over_several_lines():
    record = parse_record("{before\n   it begins} 1. @b2 {one}{and\n\n[two]} @c3 2. {three} @d4{4. @a1}\n")
    assert [str(turn.action) for turn in record.turns] == ["@b2", "@c3", "@d4"]
    assert record.comments == {0: "before it begins", 1: "one and [two]", 2: "three", 3: "4. @a1"}


@each("text", ["{} 1. @b2", "{ } 1. @b2", "{ } {a remark} 1. @b2", "{a remark} {\n} 1. @b2"])
def test_an_empty_comment_does_no_harm(text):
    record = parse_record(text)
    assert len(record.turns) == 1
    assert parse_record(str(record)) == record


def test_names_may_hold_quotes_backslashes_brackets_and_braces():
    record = Record(tags={"Light": 'Ada "the frog" \\o/', "Dark": "[Zoë] {8}", "Event": ""})
    assert r'[Light "Ada \"the frog\" \\o/"]' in str(record)
    assert parse_record(str(record)) == record


@each(
    ("result", "ended"),
    [
        ("light 0-0 resignation", Outcome(LIGHT, EndReason.RESIGNATION)),
        ("dark 0-0 resignation", Outcome(DARK, EndReason.RESIGNATION)),
        ("draw 0-0 agreement", Outcome(None, EndReason.AGREEMENT)),
    ],
)
def test_players_may_end_the_game_themselves(result, ended):
    record = parse_record(f'[Result "{result}"]\n\n1. @b2 @c3')
    assert record.outcome == ended
    assert record.result_text == result
    assert parse_record(str(record)) == record


def test_what_the_position_says_goes_before_what_the_players_said():
    record = replace(parse_record(GAME), declared_outcome=Outcome(LIGHT, EndReason.RESIGNATION))
    assert record.outcome == Outcome(DARK, EndReason.SCORE)
    assert str(record) == GAME


def test_the_winners_pieces_come_first_even_if_they_are_fewer():
    actions = "1. @c1 @a2 2. @a3 @c3 3. @a1 @b2"
    record = parse_record(f'[Variant "3x3/3/3"]\n[Result "dark 1-2 elimination"]\n\n{actions}')
    assert record.position.notation_line == "..e/.e./..E l 0 0 2 1"
    assert record.outcome == Outcome(DARK, EndReason.ELIMINATION)
    assert record.result_text == "dark 1-2 elimination"
    assert "its actions come to 'dark 1-2 elimination'" in refused(
        RecordError, parse_record, f'[Variant "3x3/3/3"]\n[Result "light 2-1"]\n\n{actions}'
    )


@each(
    ("text", "words"),
    [
        ("[Light Ada]\n", """Line 1: a tag is written [Name "value"], not '[Light Ada]'"""),
        ('\n[Light "Ada]\n', "Line 2: a tag is written"),
        ('[Light "Ada"\n', "Line 1: a tag is written"),
        ('[Light "A"da"]\n', "Line 1: a tag is written"),
        ('[Light "Ada" ]\n', "Line 1: a tag is written"),
        ('[ "Ada"]\n', "Line 1: a tag is written"),
        (r'[Light "A\da"]', "Line 1: a tag is written"),
        ('[Light "Ada"] 1. @b2', "Line 1: a tag is written"),
        ('[Light "Ada"]\n[Dark "Ben"]\n[Light "Cem"]\n', "Line 3: the tag Light stands here for the second time"),
        ('[Variant "mini"]\n[Variant "mini"]\n', "Line 2: the tag Variant stands here for the second time"),
        ('[Variant "nosuch"]\n', "The Variant tag: There is no variant 'nosuch'"),
        ('[Variant "3x3/9/10"]\n', "The Variant tag: 3x3/9/10: 10 pieces cannot be scored"),
        ('1. @b2 @c3\n[Light "Ada"]\n', "Line 2: a tag stands among the actions"),
        ("@b2 @c3", "Line 1: 1. is expected here, not '@b2'"),
        ("2. @b2 @c3", "Line 1: 1. is expected here, not '2.'"),
        ("1 @b2 @c3", "Line 1: 1. is expected here, not '1'"),
        ("1.@b2 @c3", "Line 1: 1. is expected here, not '1.@b2'"),
        ("1. @b2 @c3\n\n@d4", "Line 3: 2. is expected here, not '@d4'"),
        ("1. @b2 @c3\n3. @d4", "Line 2: 2. is expected here, not '3.'"),
        ("1. @b2 @c3\n02. @d4", "Line 2: 2. is expected here, not '02.'"),
        ("1. @b2\n1... @c3", "Line 2: Action 2 (turn 1. dark) cannot be read"),
        ("1. @b2 2. @c3", "Line 1: dark's action is missing before 2."),
        ("1. 1. @b2", "Action 1 (turn 1. light) cannot be read"),
        ("1. @b2 @c3 2.\n", "2."),
        ("1. @b2 @c3\n2. b2b9", "Line 2: Action 3 (turn 2. light) cannot be read: An action is written"),
        ("1. @b2 light", "Action 2 (turn 1. dark) cannot be read"),
        ("1. @b2 @b2", "Action 2 (turn 1. dark), @b2, is illegal: b2 is not empty."),
        ("1. @b2 @c3 2. b2b3", "Action 3 (turn 2. light), b2b3, is illegal: Eggs do not move"),
        ("1. @e5", "Action 1 (turn 1. light), @e5, is illegal: e5 is not a cell of this 4x4 pond."),
        (GAME + " @d4", "Action 28 (turn 14. dark), @d4, is illegal: The game is over."),
        (GAME + " xyz", "Action 28 (turn 14. dark) cannot be read"),
        ("1. @b2 {a remark", "Line 1: "),
        ("1. @b2 {a remark", "brace"),
        ("1. @b2\n{a\nremark\n@c3", "Line 2: "),
        ("1. @b2\n\n} @c3", "Line 3: "),
        ("1. @b2 {a {nested} remark} @c3", "brace"),
        ('[Result ""]\n', "The result '' cannot be read; it is written 'light 10-8'"),
        ('[Result "1-0"]\n', "The result '1-0' cannot be read"),
        ('[Result "light"]\n', "The result 'light' cannot be read"),
        ('[Result "Light 10-8"]\n', "The result 'Light 10-8' cannot be read"),
        ('[Result "light 10-8 luck"]\n', "The result 'light 10-8 luck' cannot be read"),
        ('[Result "light ١٠-٨"]\n', "cannot be read"),
        ('[Result "light 10-8"]\n\n1. @b2', "The record's result is 'light 10-8', but its actions come to '*'"),
        ('[Result "draw 0-0"]\n\n1. @b2', "The record's result is 'draw 0-0', but its actions come to '*'"),
        ('[Result "light 0-0 elimination"]\n\n1. @b2', "but its actions come to '*'"),
        ('[Result "light 3-0 resignation"]\n\n1. @b2', "but its actions come to '*'"),
        ('[Result "draw 0-0 resignation"]\n\n1. @b2', "but its actions come to '*'"),
        ('[Result "light 0-0 agreement"]\n\n1. @b2', "but its actions come to '*'"),
        (GAME.replace("dark 8-7", "light 8-7"), "is 'light 8-7', but its actions come to 'dark 8-7'"),
        (GAME.replace("dark 8-7", "dark 8-6"), "is 'dark 8-6', but its actions come to 'dark 8-7'"),
        (GAME.replace("dark 8-7", "draw 8-8"), "but its actions come to 'dark 8-7'"),
        (GAME.replace("dark 8-7", "dark 8-7 elimination"), "but its actions come to 'dark 8-7'"),
        (GAME.replace("dark 8-7", "dark 8-7 resignation"), "but its actions come to 'dark 8-7'"),
        (GAME.replace("dark 8-7", "dark 08-7"), "08-7"),
        (GAME.replace("dark 8-7", "*"), "but its actions come to 'dark 8-7'"),
    ],
)
def test_a_bad_record_is_refused_with_what_and_where(text, words):
    assert words in refused(RecordError, parse_record, text)


@each(
    ("text", "trusted"),
    [
        ("1. @b2 @c3 2. @d4 @d4", ["@b2", "@c3", "@d4"]),
        ("1. @b2 @c3 3. @d4", ["@b2", "@c3"]),
        ("1. @b2 oops", ["@b2"]),
        ('[Result "light 10-8"]\n\n1. @b2 @c3', ["@b2", "@c3"]),
        ("1. @b2 @c3 2. @d4 {a remark", ["@b2", "@c3", "@d4"]),
        ('1. @b2 @c3\n[Light "Ada"]', ["@b2", "@c3"]),
        ("oops", []),
    ],
)
def test_the_turns_before_the_fault_can_be_trusted(text, trusted):
    with pytest.raises(RecordError) as caught:
        parse_record(text)
    assert [str(turn.action) for turn in caught.value.turns] == trusted


@each(
    ("tags", "comments", "words"),
    [
        ({"Light": "two\nlines"}, {}, "The tag 'Light'"),
        ({"Light": "a bell \a"}, {}, "The tag 'Light'"),
        ({"two words": "x"}, {}, "The tag 'two words'"),
        ({"Naïve": "x"}, {}, "The tag 'Naïve'"),
        ({"": "x"}, {}, "The tag ''"),
        ({}, {0: "a } brace"}, "no braces"),
        ({}, {0: "a { brace"}, "no braces"),
        ({}, {0: "two\nlines"}, "single spaces only"),
        ({}, {0: " a space before"}, "single spaces only"),
    ],
)
def test_what_the_notation_cannot_write_is_not_written(tags, comments, words):
    assert words in refused(RecordError, lambda: Record(tags=tags, comments=comments))


@each("tag", ["Variant", "Position", "Result"])
def test_a_tag_never_contradicts_the_game_it_stands_above(tag):
    assert "made from the game" in refused(RecordError, lambda: Record(tags={tag: "big"}))


def test_a_remark_stands_behind_a_turn_that_was_taken():
    assert "There is no turn 1" in refused(RecordError, lambda: Record(comments={1: "too early"}))


def test_a_result_may_name_light_first():
    assert parse_record(GAME.replace("dark 8-7", "dark 7-8")) == parse_record(GAME)


def test_names_of_every_language_can_be_written():
    names = {"Light": "می\u200cخواهم", "Dark": 'Zoë 👩\u200d👧 O\'Neil\u00a0"Z"'}
    assert parse_record(str(Record(tags=names))).tags == names


# Records of games that began in a position set up by hand

ONGOING = ".t../..F./e..T/T... l 6 6 4 5"
DARK_FIRST = ONGOING.replace(" l ", " d ")

SET_UP = """\
[Variant "standard"]
[Position ".t../..F./e..T/T... d 6 6 4 5"]
[Light "Ada"]
[Result "*"]

{Ben begins} 1... @d4 {in the corner} 2. c3b3 b4a4 3. @c1
"""


def test_a_game_may_begin_in_a_position_that_was_set_up_by_hand():
    record = parse_record(SET_UP)
    assert record.custom_start == Position.from_notation(DARK_FIRST)
    assert record.start_position == record.turns[0].before == record.custom_start
    assert record.tags == {"Light": "Ada"}
    assert record.comments == {0: "Ben begins", 1: "in the corner"}
    assert [f"{turn.side} {turn.action}" for turn in record.turns] == [
        "dark @d4",
        "light c3b3",
        "dark b4a4",
        "light @c1",
    ]
    assert record.position.to_move is DARK
    assert str(record) == SET_UP


def test_light_may_begin_there_as_well():
    record = parse_record(f'[Position "{ONGOING}"]\n\n1. @d4 b4a4 2. c3c1')
    assert record.custom_start == Position.from_notation(ONGOING)
    assert str(record) == f'[Variant "standard"]\n[Position "{ONGOING}"]\n[Result "*"]\n\n1. @d4 b4a4 2. c3c1\n'


def test_before_its_first_turn_a_game_stands_where_it_was_set_up():
    record = Record(custom_start=Position.from_notation(DARK_FIRST))
    assert record.position == Position.from_notation(DARK_FIRST)
    assert record.outcome is None
    assert str(record) == f'[Variant "standard"]\n[Position "{DARK_FIRST}"]\n[Result "*"]\n\n'
    assert parse_record(str(record)) == record


def test_what_was_scored_before_the_game_began_counts():
    record = parse_record(f'[Position "{DARK_FIRST}"]\n[Result "light 4-5 resignation"]\n')
    assert record.outcome == Outcome(LIGHT, EndReason.RESIGNATION)
    assert record.result_text == "light 4-5 resignation"
    assert parse_record(str(record)) == record
    #   4 . . . .    @d1 makes a set of three and ends the game: d1 with the eggs on b1 and c1,
    #   3 . . . .    which were frogs, and d2, alone, becomes a tadpole.
    #   2 . . . e
    #   1 . E F .
    record = parse_record('[Position "..../..../...e/.EF. l 3 4 8 8"]\n[Result "light 11-8"]\n\n1. @d1')
    assert record.outcome == Outcome(LIGHT, EndReason.SCORE)
    assert parse_record(str(record)) == record


def test_the_ordinary_start_need_not_be_told():
    record = parse_record(f'[Variant "mini"]\n[Position "{START.replace("13", "10")}"]\n\n1. @b2 @c3')
    assert record == parse_record('[Variant "mini"]\n\n1. @b2 @c3')
    assert record.custom_start is None
    assert record.start_position == Position.start(VARIANTS["mini"])
    assert str(record) == '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @c3\n'
    assert Record(custom_start=Position.from_notation(START)) == Record()


def test_the_empty_pond_with_dark_to_move_is_another_start():
    record = Record(custom_start=Position.from_notation(START.replace(" l ", " d ")))
    assert '[Position "..../..../..../.... d 13 13 0 0"]' in str(record)
    assert parse_record(f"{record}1... @b2 2. @c3").position.to_move is DARK


def test_the_tags_may_stand_in_any_order():
    first = '[Result "*"]\n[Position "E../.../..e d 8 8 0 0"]\n[Variant "3x3/9/5"]\n\n1... @b2'
    record = parse_record(first)
    assert record.custom_start == Position.from_notation("E../.../..e d 8 8 0 0", parse_variant("3x3/9/5"))
    assert str(record).startswith('[Variant "3x3/9/5"]\n[Position "E../.../..e d 8 8 0 0"]\n[Result "*"]\n')


def test_the_example_of_the_record_is_true():
    _, _, example = record_module.__doc__.partition("in chess:")
    example, _, _ = example.partition(" ...\n\nThe result")
    tags, _, actions = "\n".join(line.strip() for line in example.strip().splitlines()).partition("\n\n")
    assert len(parse_record(f"{tags}\n\n{actions}").turns) == 2


@each(
    ("start", "sentence"),
    [
        (
            "....",
            (
                "A position has six parts with one space between them (rows, side to move, two spawns, two scores), "
                "as in '.tt./..FE/ft.T/T..T l 1 1 7 8'; this has 1: '....'."
            ),
        ),
        (START.replace("/..../", "/.x../", 1), "b3 holds 'x'; a cell is one of . E T F e t f."),
        (START.replace(" l ", " L "), "The side to move is l or d, not 'L'."),
        (
            ONGOING.replace("6 6", "7 6"),
            (
                "Light has 3 on the board, 7 in the spawn and 4 scored: 14 pieces, "
                "but each side has 13 in the standard pond."
            ),
        ),
        (
            "..../.EeE/..../.... l 11 12 0 0",
            "A set of eggs is left standing on b3, c3, d3; it would have been scored.",
        ),
        (
            "...../...../...../...../..... d 14 14 0 0",
            "The standard pond has 4 rows; this position has 5.",
        ),
        (
            "..../..../..../.... l 3 13 10 0",
            "The game would be over before it begins: light has scored 10, and the standard pond is played to 10.",
        ),
        (
            "FFtE/TTee/EFtf/tTeF d 4 6 0 0",
            "The game would be over before it begins: dark is to move and has no legal action.",
        ),
    ],
)
def test_where_a_game_cannot_have_begun(start, sentence):
    assert refused(RecordError, parse_record, f'[Position "{start}"]\n') == f"The Position tag: {sentence}"


@each(
    ("start", "actions", "sentence"),
    [
        (DARK_FIRST, "1. @d4", "Line 3: 1... is expected here, not '1.': dark is to move first."),
        (DARK_FIRST, "@d4", "Line 3: 1... is expected here, not '@d4'."),
        (DARK_FIRST, "2... @d4", "Line 3: 1... is expected here, not '2...'."),
        (DARK_FIRST, "1...@d4", "Line 3: 1... is expected here, not '1...@d4'."),
        (DARK_FIRST, "1 ... @d4", "Line 3: 1... is expected here, not '1'."),
        (DARK_FIRST, "1... 2. @d4", "Line 3: dark's action is missing before 2."),
        (DARK_FIRST, "1...", "Line 3: there is no action behind 1..."),
        (DARK_FIRST, "1... @d4 c3b3", "Line 3: 2. is expected here, not 'c3b3'."),
        (DARK_FIRST, "1... @d4\n1. c3b3", "Line 4: 2. is expected here, not '1.'."),
        (DARK_FIRST, "1... @d4\n1... c3b3", "Line 4: 2. is expected here, not '1...'."),
        (DARK_FIRST, "1... @d4 2. c3b3 3. @c1", "Line 3: dark's action is missing before 3."),
        (DARK_FIRST, "1... @d4 2.", "Line 3: there is no action behind 2."),
        (ONGOING, "1... @d4", "Line 3: 1. is expected here, not '1...': light is to move first."),
        (ONGOING, "1. 2. @d4", "Line 3: light's action is missing before 2."),
        (ONGOING, "1. @d4 2. c3b3", "Line 3: dark's action is missing before 2."),
        (START, "1... @d4", "Line 3: 1. is expected here, not '1...': light is to move first."),
        (DARK_FIRST, "1... c3b3", "Action 1 (turn 1. dark), c3b3, is illegal: It is dark's turn."),
        (DARK_FIRST, "1... @d4 2. @d4", "Action 2 (turn 2. light), @d4, is illegal: d4 is not empty."),
        (DARK_FIRST, "1... @d4 2. c3b3 c3b3", "Action 3 (turn 2. dark), c3b3, is illegal: There is no piece on c3."),
        (ONGOING, "1. @d4 @d4", "Action 2 (turn 1. dark), @d4, is illegal: d4 is not empty."),
    ],
)
def test_how_a_game_cannot_go_on_from_there(start, actions, sentence):
    assert refused(RecordError, parse_record, f'[Position "{start}"]\n\n{actions}') == sentence


@each(
    ("start", "actions", "words"),
    [
        (DARK_FIRST, "1... 1... @d4", "Line 3: Action 1 (turn 1. dark) cannot be read: "),
        (DARK_FIRST, "1... @d4 2. c3b3 2... b4a4", "Line 3: Action 3 (turn 2. dark) cannot be read: "),
    ],
)
def test_three_points_stand_only_where_dark_begins(start, actions, words):
    assert words in refused(RecordError, parse_record, f'[Position "{start}"]\n\n{actions}')


def test_a_position_tag_of_too_many():
    text = f'[Position "{ONGOING}"]\n[Position "{ONGOING}"]\n'
    assert refused(RecordError, parse_record, text) == "Line 2: the tag Position stands here for the second time."


def test_the_turns_of_a_game_that_was_set_up_can_be_trusted_up_to_the_fault():
    with pytest.raises(RecordError) as caught:
        parse_record(SET_UP + "@d4")
    assert [str(turn.action) for turn in caught.value.turns] == ["@d4", "c3b3", "b4a4", "@c1"]


@each(
    ("start", "sentence"),
    [
        (
            Position.start(VARIANTS["mini"]),
            "The start is a position of the mini pond, but the game is played on standard.",
        ),
        (
            Position.from_notation(ONGOING)._replace(scored=(4, 4)),
            (
                "Dark has 2 on the board, 6 in the spawn and 4 scored: 12 pieces, "
                "but each side has 13 in the standard pond."
            ),
        ),
        (
            Position.from_notation("..../..../..../.... l 3 13 10 0"),
            "The game would be over before it begins: light has scored 10, and the standard pond is played to 10.",
        ),
    ],
)
def test_a_start_that_could_not_be_read_again_is_not_written(start, sentence):
    assert refused(RecordError, lambda: Record(custom_start=start)) == sentence


def test_turns_belong_to_the_start_that_they_were_taken_from():
    turns = parse_record(SET_UP).turns
    sentence = "The first turn was not taken in the position that the game began in."
    assert refused(RecordError, lambda: Record(turns=turns)) == sentence
    assert refused(RecordError, lambda: Record(turns=turns[1:], custom_start=turns[0].before)) == sentence
    assert str(Record(turns=turns[1:], custom_start=turns[1].before)).endswith("1. c3b3 b4a4 2. @c1\n")


# Whatever else a file may hold

# Scraps of notation, so that random text comes near to the real thing.
SCRAPS = (
    *("@b2", "b2b3", "1.", "2.", "{", "}", "[", "]", '"', "\\", "/", "....", "E", "t", "l", "d", "13", "0", "-1", " "),
    *("1...", '[Position "', f'[Position "{ONGOING}"]'),
    *("\n", "\r", "\t", "\f", "\u2028", "\ufeff", "\0", "٣", "é", "🐸", '[Light "Ada"]', '[Result "*"]', "3x3/9/5"),
)
ANYTHING = st.one_of(st.text(), st.lists(st.sampled_from(SCRAPS), max_size=30).map("".join))


def damaged(text, seed, faults):
    """The text with so many small accidents: something is lost, doubled, turned round or slips in."""
    chance = Random(seed)
    for _ in range(faults):
        here = chance.randrange(len(text) + 1)
        there = min(len(text), here + chance.randrange(8))
        hit = text[here:there]
        text = text[:here] + chance.choice(("", hit * 2, hit[::-1], chance.choice(SCRAPS))) + text[there:]
    return text


def accepted(reader, text):
    """What the reader makes of the text, or None if it refuses it properly; any other error is a fault."""
    try:
        return reader(text)
    except NotationError:
        return None


def check_every_reader(text):
    """Each reader takes the text or refuses it; what it took, it writes again as it was."""
    position = accepted(Position.from_notation, text)
    assert position is None or position.notation_line == text
    for reader in (Action.from_notation, parse_variant):
        thing = accepted(reader, text)
        assert thing is None or str(thing) == text
    record = accepted(parse_record, text)
    assert record is None or parse_record(str(record)) == record


@given(ANYTHING)
@example('[Light "a\tb"]')
@example('[Light "a\x07b"]\n\n1. @b2')
def test_any_text_is_read_or_refused(text):
    check_every_reader(text)


@given(positions(), st.integers(0, 10**6), st.integers(1, 3))
def test_a_damaged_position_is_read_or_refused(position, seed, faults):
    check_every_reader(damaged(position.notation_line, seed, faults))


@given(games() | games_set_up(), st.integers(0, 10**6), st.integers(1, 3))
def test_a_damaged_record_is_read_or_refused(game, seed, faults):
    text = str(replace(game, tags={"Light": 'Ada "A."', "Dark": ""}, comments={0: "a remark"}))
    check_every_reader(damaged(text, seed, faults))
