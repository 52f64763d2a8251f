"""Notation of positions, actions, variants and records.

The parsers are strict. They reject a text with a message that says what is wrong and where. The tables list invalid
texts and their messages.
"""

import doctest
from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pond_hw.rules
import pond_hw.rules.record as record_module
from pond_hw.messages.message import Message
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
from tests.rules.positions import games, games_with_custom_start, positions

START = "..../..../..../.... l 13 13 0 0"
MIDDLE = ".tt./..FE/ft.T/T..T l 1 1 7 8"


def rejection(error, reader, *text):
    """Return the message with which the parser rejects this text."""
    with pytest.raises(error) as caught:
        reader(*text)
    return caught.value.message


def wrong_sum(side, board, spawn, scored, variant=STANDARD):
    """Return the message about a side with a wrong number of pieces."""
    return Message(
        "position.wrong_sum",
        side=side,
        board=board,
        spawn=spawn,
        scored=scored,
        total=board + spawn + scored,
        variant=variant.name,
        right_total=variant.spawn,
    )


def parts(count, text):
    """Return the message about a position with a wrong number of parts."""
    return Message("position.wrong_parts", parts=count, position=text)


# Positions


def test_position_round_trips():
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


def test_three_rows_need_a_variant():
    assert Position.from_notation("E../.../..e d 8 8 0 0", parse_variant("3x3/9/5")).grid.size == 3


@each(
    ("line", "why"),
    [
        ("", parts(1, "")),
        ("..../..../..../.... l 13 13 0", parts(5, "..../..../..../.... l 13 13 0")),
        (START + " 0", parts(7, START + " 0")),
        (" " + START, parts(7, " " + START)),
        (START + " ", parts(7, START + " ")),
        (START.replace(" l ", "  l "), parts(7, START.replace(" l ", "  l "))),
        (START.replace(" ", "\t"), parts(1, START.replace(" ", "\t"))),
        (START + "\n", Message("position.wrong_count.dark_score", text="0\n")),
        ("\n" + START, Message("position.wrong_cells", row="4", text="\n....", size=4, cells_found=5)),
        ("../.. l 13 13 0 0", Message("position.wrong_size", rows=2)),
        ("/".join(["......"] * 6) + " l 13 13 0 0", Message("position.wrong_size", rows=6)),
        (".../.../... l 9 9 0 0", Message("position.needs_variant")),
        (
            "..../.../..../.... l 13 13 0 0",
            Message("position.wrong_cells", row="3", text="...", size=4, cells_found=3),
        ),
        (
            "..../..../..../..... l 13 13 0 0",
            Message("position.wrong_cells", row="1", text=".....", size=4, cells_found=5),
        ),
        ("4/4/4/4 l 13 13 0 0", Message("position.wrong_cells", row="4", text="4", size=4, cells_found=1)),
        ("..../..../..x./.... l 13 13 0 0", Message("position.wrong_letter", cell="c2", letter="x")),
        ("...N/..../..../.... l 13 13 0 0", Message("position.wrong_letter", cell="d4", letter="N")),
        # a Cyrillic letter that looks like an E
        ("..../..../..../Е... l 12 13 0 0", Message("position.wrong_letter", cell="a1", letter="Е")),
        (START.replace("l", "L"), Message("position.wrong_side", letter="L")),
        (START.replace("l", "light"), Message("position.wrong_side", letter="light")),
        (START.replace("l", ""), Message("position.wrong_side", letter="")),
        ("..../..../..../.... l -1 13 0 0", Message("position.wrong_count.light_spawn", text="-1")),
        ("..../..../..../.... l 13 +13 0 0", Message("position.wrong_count.dark_spawn", text="+13")),
        ("..../..../..../.... l 013 13 0 0", Message("position.wrong_count.light_spawn", text="013")),
        ("..../..../..../.... l 13 13 00 0", Message("position.wrong_count.light_score", text="00")),
        ("..../..../..../.... l 13 13 0 -0", Message("position.wrong_count.dark_score", text="-0")),
        ("..../..../..../.... l 13 13 0 x", Message("position.wrong_count.dark_score", text="x")),
        ("..../..../..../.... l 1e1 13 0 0", Message("position.wrong_count.light_spawn", text="1e1")),
        ("..../..../..../.... l 13.0 13 0 0", Message("position.wrong_count.light_spawn", text="13.0")),
        ("..../..../..../.... l 1_3 13 0 0", Message("position.wrong_count.light_spawn", text="1_3")),
        ("..../..../..../.... l ١٣ 13 0 0", Message("position.wrong_count.light_spawn", text="١٣")),
        ("..../..../..../.... l 13 13 0 ⁰", Message("position.wrong_count.dark_score", text="⁰")),
        (f"..../..../..../.... l {'9' * 5000} 13 0 0", Message("position.wrong_count.light_spawn", text="9" * 5000)),
        ("..../..../..../.... l 99 13 0 0", Message("position.wrong_count.light_spawn", text="99")),
        ("..../..../..../.... l 12 13 0 0", wrong_sum("light", 0, 12, 0)),
        ("..../..../..../...e l 13 13 0 0", wrong_sum("dark", 1, 13, 0)),
        ("..../..../..../.... l 13 13 0 3", wrong_sum("dark", 0, 13, 3)),
        ("..../.EeE/..../.... l 11 12 0 0", Message("position.unscored_set.egg", cells=("b3", "c3", "d3"))),
        ("t.../t.../t.../T... l 12 10 0 0", Message("position.unscored_set.tadpole", cells=("a1", "a2", "a3", "a4"))),
        ("..../..../..../.fFf l 12 11 0 0", Message("position.unscored_set.frog", cells=("b1", "c1", "d1"))),
    ],
)
def test_invalid_position_is_rejected_with_reason(line, why):
    assert rejection(NotationError, Position.from_notation, line) == why


@each(
    ("line", "name", "why"),
    [
        (START, "big", Message("position.wrong_rows", variant="big", size=5, rows=4)),
        (START, "3x3/9/5", Message("position.wrong_rows", variant="3x3/9/5", size=3, rows=4)),
        (START, "mini", wrong_sum("light", 0, 13, 0, VARIANTS["mini"])),
        (START, "small-14", wrong_sum("light", 0, 13, 0, VARIANTS["small-14"])),
    ],
)
def test_position_must_fit_its_variant(line, name, why):
    assert rejection(NotationError, Position.from_notation, line, parse_variant(name)) == why


def test_repr_of_position_can_be_evaluated():
    position = Position.from_notation("E../.../..e d 8 8 0 0", parse_variant("3x3/9/5"))
    assert repr(position) == "Position.from_notation('E../.../..e d 8 8 0 0', parse_variant('3x3/9/5'))"


def test_example_in_rules_docstring_is_valid():
    examples = doctest.testmod(pond_hw.rules)
    assert examples.attempted > 0
    assert examples.failed == 0


def test_unknown_cell_raises_an_error():
    no_such_cell = Message("illegal.no_such_cell", cell="e1", size=4)
    assert rejection(NotationError, Position.from_notation(START).piece_at, "e1") == no_such_cell


# Actions


def test_action_round_trips():
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
def test_invalid_action_is_rejected(text):
    assert rejection(NotationError, Action.from_notation, text) == Message("action.wrong_notation", text=text)


# Variants and grids


def test_named_variants_are_parsed():
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


def test_custom_variants_are_parsed():
    assert parse_variant("3x3/9/5") == Variant("3x3/9/5", 3, 9, 5)
    assert parse_variant("5x5/25/25") == Variant("5x5/25/25", 5, 25, 25)
    assert parse_variant("4x4/1/1") == Variant("4x4/1/1", 4, 1, 1)


@each(
    "text",
    [
        *("", "nosuch", "Standard", "standard ", "standard\n", "3x3", "3x3/9", "3x3/9/5/1", "3x3/9/5\n", "3X3/9/5"),
        *("3x3/09/5", "3x3/9/-5", "3x3/٩/5", f"3x3/{'9' * 5000}/5"),
    ],
)
def test_unknown_variant_error_lists_all_names(text):
    assert rejection(NotationError, parse_variant, text) == Message("variant.unknown", name=text, names=tuple(VARIANTS))


@each(
    ("text", "why"),
    [
        ("2x2/4/3", Message("variant.wrong_grid", name="2x2/4/3", grid="2x2")),
        ("6x6/9/5", Message("variant.wrong_grid", name="6x6/9/5", grid="6x6")),
        ("4x5/9/5", Message("variant.wrong_grid", name="4x5/9/5", grid="4x5")),
        ("3x3/26/5", Message("variant.wrong_spawn", name="3x3/26/5", eggs=26)),
        ("3x3/0/0", Message("variant.wrong_spawn", name="3x3/0/0", eggs=0)),
        ("3x3/9/10", Message("variant.target_too_high", name="3x3/9/10", target=10, eggs=9)),
        ("3x3/9/0", Message("variant.target_too_low", name="3x3/9/0", target=0)),
    ],
)
def test_invalid_variant_is_rejected(text, why):
    assert rejection(NotationError, parse_variant, text) == why


@each("size", [-1, 0, 2, 6])
def test_unsupported_size_is_rejected(size):
    assert rejection(PondError, get_grid, size) == Message("variant.wrong_size", size=size)


def test_cells_are_named_as_in_chess():
    assert get_grid(4).cells[:5] == ("a1", "b1", "c1", "d1", "a2")
    assert get_grid(4).rows[0] == ("a4", "b4", "c4", "d4")
    assert get_grid(5).cell_coordinates("d2") == (3, 1)


# Records


def wrong_tag(tag, reason):
    return Message("record.wrong_tag", tag=tag, reason=reason)


def wrong_tag_line(line, text):
    return Message("record.wrong_tag_line", line=line, text=text)


def expected(line, number, text):
    return Message("record.wrong_number", line=line, number=number, text=text)


def unreadable(line, action, turn, side, text):
    reason = Message("action.wrong_notation", text=text)
    return Message("record.unreadable_action", line=line, action=action, turn=turn, side=side, reason=reason)


def illegal(action, turn, side, text, reason):
    return Message("record.illegal_action", action=action, turn=turn, side=side, text=text, reason=reason)


def unfinished(text):
    return Message("record.result_of_unfinished_game", text=text)


GAME = """\
[Variant "mini"]
[Light "Ada"]
[Dark "Ben"]
[Result "dark 8-7"]

1. @d1 @c4 2. @d4 @a2 3. @d2 @b2 4. @b1 @a1 5. @c1 @a3 6. d1d3 @a3 7. b1d1 @c2 8. @b1
@b4 9. @d1 @a4 10. @c3 @a2 11. @d2 b4b3 12. @a4 b2b4 13. c3d3 c4c3 14. d4d2
{eight beat seven}
"""


def test_record_of_a_whole_game_is_parsed():
    record = parse_record(GAME)
    assert record.variant == VARIANTS["mini"]
    assert record.tags == {"Light": "Ada", "Dark": "Ben"}
    assert len(record.turns) == 27
    assert record.position.notation_line == "Tf../.e../...F/.E.. d 0 0 7 8"
    assert record.outcome == Outcome(DARK, EndReason.SCORE)
    assert record.comments == {27: "eight beat seven"}
    assert str(record) == GAME


def test_record_without_turns_round_trips():
    record = Record()
    assert record.position.notation_line == START
    assert record.outcome is None
    assert str(record) == '[Variant "standard"]\n[Result "*"]\n\n'
    assert parse_record(str(record)) == record


def test_record_without_tags_is_a_standard_game():
    record = parse_record("1. @b2 @c3")
    assert record.variant == STANDARD
    assert record.result_text == "*"


@each("text", ["", "\n \n", "\ufeff"])
def test_empty_file_is_rejected(text):
    assert rejection(RecordError, parse_record, text) == Message("record.empty")


@each("text", ["# Pond, on a board\n", '[Variant "mini"]\n\nHello\n', "x.y"])
def test_text_that_is_not_a_record_is_rejected(text):
    message = rejection(RecordError, parse_record, text)
    assert message == Message("record.not_a_record", line=text.rstrip().count("\n") + 1)


def test_record_accepts_any_line_ending_and_bom():
    record = parse_record(GAME)
    assert parse_record(GAME.replace("\n", "\r\n")) == record
    assert parse_record(GAME.replace("\n", "\r")) == record
    assert parse_record("\ufeff" + GAME) == record
    assert parse_record(GAME.rstrip("\n")) == record
    assert parse_record("\n" + GAME + "\n\n") == record
    assert parse_record(GAME.replace('[Light "Ada"]', '  [Light "Ada"] ')) == record


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u2009", "\u3000"])
def test_no_break_spaces_in_a_record_are_spaces(space):
    for record in (parse_record(GAME), Record(STANDARD, (), custom_start=Position.from_notation(ONGOING))):
        text = str(record).replace(" ", space)
        read = parse_record(text)
        assert replace(read, tags=record.tags) == record
    assert parse_record(f'[Light "Ada{space}B"]').tags["Light"] == f"Ada{space}B"  # names are kept as they are


def test_comments_may_be_anywhere_and_span_lines():
    record = parse_record("{before\n   it begins} 1. @b2 {one}{and\n\n[two]} @c3 2. {three} @d4{4. @a1}\n")
    assert [str(turn.action) for turn in record.turns] == ["@b2", "@c3", "@d4"]
    assert record.comments == {0: "before it begins", 1: "one and [two]", 2: "three", 3: "4. @a1"}


@each("text", ["{} 1. @b2", "{ } 1. @b2", "{ } {a remark} 1. @b2", "{a remark} {\n} 1. @b2"])
def test_empty_comment_is_ignored(text):
    record = parse_record(text)
    assert len(record.turns) == 1
    assert parse_record(str(record)) == record


def test_names_may_contain_special_characters():
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


def test_position_outcome_precedes_declared_outcome():
    record = replace(parse_record(GAME), declared_outcome=Outcome(LIGHT, EndReason.RESIGNATION))
    assert record.outcome == Outcome(DARK, EndReason.SCORE)
    assert str(record) == GAME


def test_winners_score_comes_first_even_if_lower():
    actions = "1. @c1 @a2 2. @a3 @c3 3. @a1 @b2"
    record = parse_record(f'[Variant "3x3/3/3"]\n[Result "dark 1-2 elimination"]\n\n{actions}')
    assert record.position.notation_line == "..e/.e./..E l 0 0 2 1"
    assert record.outcome == Outcome(DARK, EndReason.ELIMINATION)
    assert record.result_text == "dark 1-2 elimination"
    other_result = Message("record.other_result", text="light 2-1", result="dark 1-2 elimination")
    assert other_result == rejection(
        RecordError, parse_record, f'[Variant "3x3/3/3"]\n[Result "light 2-1"]\n\n{actions}'
    )


@each(
    ("text", "why"),
    [
        ("[Light Ada]\n", wrong_tag_line(1, "[Light Ada]")),
        ('\n[Light "Ada]\n', wrong_tag_line(2, '[Light "Ada]')),
        ('[Light "Ada"\n', wrong_tag_line(1, '[Light "Ada"')),
        ('[Light "A"da"]\n', wrong_tag_line(1, '[Light "A"da"]')),
        ('[Light "Ada" ]\n', wrong_tag_line(1, '[Light "Ada" ]')),
        ('[ "Ada"]\n', wrong_tag_line(1, '[ "Ada"]')),
        (r'[Light "A\da"]', wrong_tag_line(1, r'[Light "A\da"]')),
        ('[Light "Ada"] 1. @b2', wrong_tag_line(1, '[Light "Ada"] 1. @b2')),
        ('[Light "Ada"]\n[Dark "Ben"]\n[Light "Cem"]\n', Message("record.second_tag", line=3, tag="Light")),
        ('[Variant "mini"]\n[Variant "mini"]\n', Message("record.second_tag", line=2, tag="Variant")),
        (
            '[Variant "nosuch"]\n',
            wrong_tag("Variant", Message("variant.unknown", name="nosuch", names=tuple(VARIANTS))),
        ),
        (
            '[Variant "3x3/9/10"]\n',
            wrong_tag("Variant", Message("variant.target_too_high", name="3x3/9/10", target=10, eggs=9)),
        ),
        ('1. @b2 @c3\n[Light "Ada"]\n', Message("record.late_tag", line=2)),
        ("@b2 @c3", expected(1, "1.", "@b2")),
        ("2. @b2 @c3", expected(1, "1.", "2.")),
        ("1 @b2 @c3", expected(1, "1.", "1")),
        ("1.@b2 @c3", expected(1, "1.", "1.@b2")),
        ("1. @b2 @c3\n\n@d4", expected(3, "2.", "@d4")),
        ("1. @b2 @c3\n3. @d4", expected(2, "2.", "3.")),
        ("1. @b2 @c3\n02. @d4", expected(2, "2.", "02.")),
        ("1. @b2\n1... @c3", unreadable(2, 2, 1, "dark", "1...")),
        ("1. @b2 2. @c3", Message("record.missing_action", line=1, side="dark", number="2.")),
        ("1. 1. @b2", unreadable(1, 1, 1, "light", "1.")),
        ("1. @b2 @c3 2.\n", Message("record.no_action", line=1, number="2.")),
        ("1. @b2 @c3\n2. b2b9", unreadable(2, 3, 2, "light", "b2b9")),
        ("1. @b2 light", unreadable(1, 2, 1, "dark", "light")),
        ("1. @b2 @b2", illegal(2, 1, "dark", "@b2", Message("illegal.not_empty", cell="b2"))),
        ("1. @b2 @c3 2. b2b3", illegal(3, 2, "light", "b2b3", Message("illegal.egg_cannot_move"))),
        ("1. @e5", illegal(1, 1, "light", "@e5", Message("illegal.no_such_cell", cell="e5", size=4))),
        (GAME + " @d4", illegal(28, 14, "dark", "@d4", Message("illegal.game_over"))),
        (GAME + " xyz", unreadable(9, 28, 14, "dark", "xyz")),
        ("1. @b2 {a remark", Message("record.lone_brace", line=1)),
        ("1. @b2\n{a\nremark\n@c3", Message("record.lone_brace", line=2)),
        ("1. @b2\n\n} @c3", Message("record.lone_brace", line=3)),
        ("1. @b2 {a {nested} remark} @c3", Message("record.lone_brace", line=1)),
        ('[Result ""]\n', Message("record.wrong_result", text="")),
        ('[Result "1-0"]\n', Message("record.wrong_result", text="1-0")),
        ('[Result "light"]\n', Message("record.wrong_result", text="light")),
        ('[Result "Light 10-8"]\n', Message("record.wrong_result", text="Light 10-8")),
        ('[Result "light 10-8 luck"]\n', Message("record.wrong_result", text="light 10-8 luck")),
        ('[Result "light ١٠-٨"]\n', Message("record.wrong_result", text="light ١٠-٨")),
        ('[Result "light 10-8"]\n\n1. @b2', unfinished("light 10-8")),
        ('[Result "draw 0-0"]\n\n1. @b2', unfinished("draw 0-0")),
        ('[Result "light 0-0 elimination"]\n\n1. @b2', unfinished("light 0-0 elimination")),
        ('[Result "light 3-0 resignation"]\n\n1. @b2', unfinished("light 3-0 resignation")),
        ('[Result "draw 0-0 resignation"]\n\n1. @b2', unfinished("draw 0-0 resignation")),
        ('[Result "light 0-0 agreement"]\n\n1. @b2', unfinished("light 0-0 agreement")),
        (GAME.replace("dark 8-7", "light 8-7"), Message("record.other_result", text="light 8-7", result="dark 8-7")),
        (GAME.replace("dark 8-7", "dark 8-6"), Message("record.other_result", text="dark 8-6", result="dark 8-7")),
        (GAME.replace("dark 8-7", "draw 8-8"), Message("record.other_result", text="draw 8-8", result="dark 8-7")),
        (
            GAME.replace("dark 8-7", "dark 8-7 elimination"),
            Message("record.other_result", text="dark 8-7 elimination", result="dark 8-7"),
        ),
        (
            GAME.replace("dark 8-7", "dark 8-7 resignation"),
            Message("record.other_result", text="dark 8-7 resignation", result="dark 8-7"),
        ),
        (GAME.replace("dark 8-7", "dark 08-7"), Message("record.wrong_result", text="dark 08-7")),
        (GAME.replace("dark 8-7", "*"), Message("record.other_result", text="*", result="dark 8-7")),
    ],
)
def test_invalid_record_is_rejected_with_reason(text, why):
    assert rejection(RecordError, parse_record, text) == why


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
def test_turns_before_an_error_are_kept(text, trusted):
    with pytest.raises(RecordError) as caught:
        parse_record(text)
    assert [str(turn.action) for turn in caught.value.turns] == trusted


@each(
    ("tags", "comments", "why"),
    [
        ({"Light": "two\nlines"}, {}, Message("record.unwritable_tag", tag="Light", text="two\nlines")),
        ({"Light": "a bell \a"}, {}, Message("record.unwritable_tag", tag="Light", text="a bell \a")),
        ({"two words": "x"}, {}, Message("record.unwritable_tag", tag="two words", text="x")),
        ({"Naïve": "x"}, {}, Message("record.unwritable_tag", tag="Naïve", text="x")),
        ({"": "x"}, {}, Message("record.unwritable_tag", tag="", text="x")),
        ({}, {0: "a } brace"}, Message("record.unwritable_comment", text="a } brace")),
        ({}, {0: "a { brace"}, Message("record.unwritable_comment", text="a { brace")),
        ({}, {0: "two\nlines"}, Message("record.unwritable_comment", text="two\nlines")),
        ({}, {0: " a space before"}, Message("record.unwritable_comment", text=" a space before")),
    ],
)
def test_unwritable_values_are_rejected(tags, comments, why):
    assert rejection(RecordError, lambda: Record(tags=tags, comments=comments)) == why


@each("tag", ["Variant", "Position", "Result"])
def test_tags_cannot_contradict_the_game(tag):
    assert rejection(RecordError, lambda: Record(tags={tag: "big"})) == Message("record.derived_tag", tag=tag)


def test_comment_needs_an_existing_turn():
    no_such_turn = Message("record.no_such_turn", turn=1, text="too early")
    assert rejection(RecordError, lambda: Record(comments={1: "too early"})) == no_such_turn


def test_result_may_name_light_first():
    assert parse_record(GAME.replace("dark 8-7", "dark 7-8")) == parse_record(GAME)


def test_names_of_every_language_can_be_written():
    names = {"Light": "می\u200cخواهم", "Dark": 'Zoë 👩\u200d👧 O\'Neil\u00a0"Z"'}
    assert parse_record(str(Record(tags=names))).tags == names


# Records of games with a custom start

ONGOING = ".t../..F./e..T/T... l 6 6 4 5"
DARK_FIRST = ONGOING.replace(" l ", " d ")

SET_UP = """\
[Variant "standard"]
[Position ".t../..F./e..T/T... d 6 6 4 5"]
[Light "Ada"]
[Result "*"]

{Ben begins} 1... @d4 {in the corner} 2. c3b3 b4a4 3. @c1
"""


def test_game_may_begin_in_custom_position():
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


def test_light_may_begin_in_custom_position():
    record = parse_record(f'[Position "{ONGOING}"]\n\n1. @d4 b4a4 2. c3c1')
    assert record.custom_start == Position.from_notation(ONGOING)
    assert str(record) == f'[Variant "standard"]\n[Position "{ONGOING}"]\n[Result "*"]\n\n1. @d4 b4a4 2. c3c1\n'


def test_game_without_turns_is_at_custom_start():
    record = Record(custom_start=Position.from_notation(DARK_FIRST))
    assert record.position == Position.from_notation(DARK_FIRST)
    assert record.outcome is None
    assert str(record) == f'[Variant "standard"]\n[Position "{DARK_FIRST}"]\n[Result "*"]\n\n'
    assert parse_record(str(record)) == record


def test_scores_of_custom_start_count():
    record = parse_record(f'[Position "{DARK_FIRST}"]\n[Result "light 4-5 resignation"]\n')
    assert record.outcome == Outcome(LIGHT, EndReason.RESIGNATION)
    assert record.result_text == "light 4-5 resignation"
    assert parse_record(str(record)) == record
    #   4 . . . .    @d1 makes a set of three and ends the game: d1 with the eggs on b1 and c1,
    #   3 . . . .    which were frogs; d2 becomes a tadpole.
    #   2 . . . e
    #   1 . E F .
    record = parse_record('[Position "..../..../...e/.EF. l 3 4 8 8"]\n[Result "light 11-8"]\n\n1. @d1')
    assert record.outcome == Outcome(LIGHT, EndReason.SCORE)
    assert parse_record(str(record)) == record


def test_standard_start_needs_no_position_tag():
    record = parse_record(f'[Variant "mini"]\n[Position "{START.replace("13", "10")}"]\n\n1. @b2 @c3')
    assert record == parse_record('[Variant "mini"]\n\n1. @b2 @c3')
    assert record.custom_start is None
    assert record.start_position == Position.start(VARIANTS["mini"])
    assert str(record) == '[Variant "mini"]\n[Result "*"]\n\n1. @b2 @c3\n'
    assert Record(custom_start=Position.from_notation(START)) == Record()


def test_empty_pond_with_dark_first_is_a_custom_start():
    record = Record(custom_start=Position.from_notation(START.replace(" l ", " d ")))
    assert '[Position "..../..../..../.... d 13 13 0 0"]' in str(record)
    assert parse_record(f"{record}1... @b2 2. @c3").position.to_move is DARK


def test_tags_may_be_in_any_order():
    first = '[Result "*"]\n[Position "E../.../..e d 8 8 0 0"]\n[Variant "3x3/9/5"]\n\n1... @b2'
    record = parse_record(first)
    assert record.custom_start == Position.from_notation("E../.../..e d 8 8 0 0", parse_variant("3x3/9/5"))
    assert str(record).startswith('[Variant "3x3/9/5"]\n[Position "E../.../..e d 8 8 0 0"]\n[Result "*"]\n')


def test_example_in_record_docstring_is_valid():
    _, _, example = record_module.__doc__.partition("in chess:")
    example, _, _ = example.partition(" ...\n\nA result")
    tags, _, actions = "\n".join(line.strip() for line in example.strip().splitlines()).partition("\n\n")
    assert len(parse_record(f"{tags}\n\n{actions}").turns) == 2


@each(
    ("start", "why"),
    [
        ("....", parts(1, "....")),
        (START.replace("/..../", "/.x../", 1), Message("position.wrong_letter", cell="b3", letter="x")),
        (START.replace(" l ", " L "), Message("position.wrong_side", letter="L")),
        (ONGOING.replace("6 6", "7 6"), wrong_sum("light", 3, 7, 4)),
        ("..../.EeE/..../.... l 11 12 0 0", Message("position.unscored_set.egg", cells=("b3", "c3", "d3"))),
        (
            "...../...../...../...../..... d 14 14 0 0",
            Message("position.wrong_rows", variant="standard", size=4, rows=5),
        ),
        (
            "..../..../..../.... l 3 13 10 0",
            Message("start.won", light=10, dark=0, variant="standard", target=10),
        ),
        ("FFtE/TTee/EFtf/tTeF d 4 6 0 0", Message("start.no_action", side="dark")),
    ],
)
def test_invalid_custom_starts_are_rejected(start, why):
    assert rejection(RecordError, parse_record, f'[Position "{start}"]\n') == wrong_tag("Position", why)


@each(
    ("start", "actions", "why"),
    [
        (DARK_FIRST, "1. @d4", Message("record.wrong_first_number", line=3, number="1...", side="dark")),
        (DARK_FIRST, "@d4", expected(3, "1...", "@d4")),
        (DARK_FIRST, "2... @d4", expected(3, "1...", "2...")),
        (DARK_FIRST, "1...@d4", expected(3, "1...", "1...@d4")),
        (DARK_FIRST, "1 ... @d4", expected(3, "1...", "1")),
        (DARK_FIRST, "1... 2. @d4", Message("record.missing_action", line=3, side="dark", number="2.")),
        (DARK_FIRST, "1...", Message("record.no_action", line=3, number="1...")),
        (DARK_FIRST, "1... @d4 c3b3", expected(3, "2.", "c3b3")),
        (DARK_FIRST, "1... @d4\n1. c3b3", expected(4, "2.", "1.")),
        (DARK_FIRST, "1... @d4\n1... c3b3", expected(4, "2.", "1...")),
        (DARK_FIRST, "1... @d4 2. c3b3 3. @c1", Message("record.missing_action", line=3, side="dark", number="3.")),
        (DARK_FIRST, "1... @d4 2.", Message("record.no_action", line=3, number="2.")),
        (ONGOING, "1... @d4", Message("record.wrong_first_number", line=3, number="1.", side="light")),
        (ONGOING, "1. 2. @d4", Message("record.missing_action", line=3, side="light", number="2.")),
        (ONGOING, "1. @d4 2. c3b3", Message("record.missing_action", line=3, side="dark", number="2.")),
        (START, "1... @d4", Message("record.wrong_first_number", line=3, number="1.", side="light")),
        (
            DARK_FIRST,
            "1... c3b3",
            illegal(1, 1, "dark", "c3b3", Message("illegal.other_owner", cell="c3", owner="light", side="dark")),
        ),
        (DARK_FIRST, "1... @d4 2. @d4", illegal(2, 2, "light", "@d4", Message("illegal.not_empty", cell="d4"))),
        (DARK_FIRST, "1... @d4 2. c3b3 c3b3", illegal(3, 2, "dark", "c3b3", Message("illegal.no_piece", cell="c3"))),
        (ONGOING, "1. @d4 @d4", illegal(2, 1, "dark", "@d4", Message("illegal.not_empty", cell="d4"))),
    ],
)
def test_invalid_turns_after_custom_start_are_rejected(start, actions, why):
    assert rejection(RecordError, parse_record, f'[Position "{start}"]\n\n{actions}') == why


@each(
    ("start", "actions", "why"),
    [
        (DARK_FIRST, "1... 1... @d4", unreadable(3, 1, 1, "dark", "1...")),
        (DARK_FIRST, "1... @d4 2. c3b3 2... b4a4", unreadable(3, 3, 2, "dark", "2...")),
    ],
)
def test_ellipsis_only_if_dark_begins(start, actions, why):
    assert rejection(RecordError, parse_record, f'[Position "{start}"]\n\n{actions}') == why


def test_second_position_tag_is_rejected():
    text = f'[Position "{ONGOING}"]\n[Position "{ONGOING}"]\n'
    assert rejection(RecordError, parse_record, text) == Message("record.second_tag", line=2, tag="Position")


def test_turns_before_error_are_kept_from_custom_start():
    with pytest.raises(RecordError) as caught:
        parse_record(SET_UP + "@d4")
    assert [str(turn.action) for turn in caught.value.turns] == ["@d4", "c3b3", "b4a4", "@c1"]


@each(
    ("start", "why"),
    [
        (Position.start(VARIANTS["mini"]), Message("record.other_variant", start="mini", variant="standard")),
        (Position.from_notation(ONGOING)._replace(scored=(4, 4)), wrong_sum("dark", 2, 6, 4)),
        (
            Position.from_notation("..../..../..../.... l 3 13 10 0"),
            Message("start.won", light=10, dark=0, variant="standard", target=10),
        ),
    ],
)
def test_unreadable_start_is_not_written(start, why):
    assert rejection(RecordError, lambda: Record(custom_start=start)) == why


def test_turns_must_begin_at_their_start():
    turns = parse_record(SET_UP).turns
    wrong_first_turn = Message("record.wrong_first_turn")
    assert rejection(RecordError, lambda: Record(turns=turns)) == wrong_first_turn
    assert rejection(RecordError, lambda: Record(turns=turns[1:], custom_start=turns[0].before)) == wrong_first_turn
    assert str(Record(turns=turns[1:], custom_start=turns[1].before)).endswith("1. c3b3 b4a4 2. @c1\n")


# Random text

# Fragments of notation, so that random text resembles the real thing.
FRAGMENTS = (
    *("@b2", "b2b3", "1.", "2.", "{", "}", "[", "]", '"', "\\", "/", "....", "E", "t", "l", "d", "13", "0", "-1", " "),
    *("1...", '[Position "', f'[Position "{ONGOING}"]'),
    *("\n", "\r", "\t", "\f", "\u2028", "\ufeff", "\0", "٣", "é", "🐸", '[Light "Ada"]', '[Result "*"]', "3x3/9/5"),
)
ANYTHING = st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))


def damaged(text, seed, faults):
    """Return the text with this many random changes: characters removed, doubled, swapped or inserted."""
    rng = Random(seed)
    for _ in range(faults):
        here = rng.randrange(len(text) + 1)
        there = min(len(text), here + rng.randrange(8))
        hit = text[here:there]
        text = text[:here] + rng.choice(("", hit * 2, hit[::-1], rng.choice(FRAGMENTS))) + text[there:]
    return text


def accepted(reader, text):
    """Return the parsed text, or None if the parser rejects it with its own kind of error. Other errors fail the test."""
    try:
        return reader(text)
    except NotationError:
        return None


def check_every_parser(text):
    """Check that each parser accepts or rejects the text, and that an accepted text round-trips."""
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
def test_any_text_is_parsed_or_rejected(text):
    check_every_parser(text)


@given(positions(), st.integers(0, 10**6), st.integers(1, 3))
def test_damaged_position_is_parsed_or_rejected(position, seed, faults):
    check_every_parser(damaged(position.notation_line, seed, faults))


@given(games() | games_with_custom_start(), st.integers(0, 10**6), st.integers(1, 3))
def test_damaged_record_is_parsed_or_rejected(game, seed, faults):
    text = str(replace(game, tags={"Light": 'Ada "A."', "Dark": ""}, comments={0: "a remark"}))
    check_every_parser(damaged(text, seed, faults))
