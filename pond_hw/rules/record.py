"""Game records (`.pond`): a whole game as text.

    [Variant "standard"]
    [Light "Ada"]
    [Dark "Ben"]
    [Result "light 10-8"]

    1. @b2 @c3 {an egg in the middle} 2. @a1 @d4 ...

There is one tag per line, then an empty line, then numbered pairs of actions with comments in braces. Only actions
are written; `parse_record` replays them through the rules.

A game that starts from a custom position has a Position tag directly after Variant. Its numbering also
starts at 1. If dark moves first, light's half of the first pair is omitted, as in chess:

    [Variant "standard"]
    [Position ".t../..F./e..T/T... d 6 6 4 5"]
    [Result "*"]

    1... @d4 2. c3b3 ...

A result such as `light 10-8` has the winner's score first (either order is accepted). The reason follows unless it is
the score (`dark 6-4 elimination`, `light 2-0 resignation`). Draws are `draw 10-10` or `draw 3-5 agreement`; `*` is an
unfinished game.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from unicodedata import category

from pond_hw.messages.message import Message
from pond_hw.rules.grid import NotationError
from pond_hw.rules.position import LIGHT, Position, Side
from pond_hw.rules.turn import Action, EndReason, IllegalAction, Outcome, Turn, find_outcome, play
from pond_hw.rules.variants import STANDARD, Variant, parse_variant


class RecordError(NotationError):
    """Error in a record: it cannot be parsed, or its game cannot have been played.

    Attributes:
        turns: valid turns before the error.
    """

    def __init__(self, message: Message, turns: tuple[Turn, ...] = ()) -> None:
        super().__init__(message)
        self.turns = turns


def explain_invalid_start(position: Position) -> Message | None:
    """Return the reason why no game can start in this position, or None if one can.

    The position must be readable by `Position.from_notation`, and the game must not be over.
    """
    try:
        Position.from_notation(position.notation_line, position.variant)
    except NotationError as error:
        return error.message
    outcome = find_outcome(position)
    if outcome is None:
        return None
    if outcome.reason is EndReason.ELIMINATION:
        return Message("start.no_action", side=str(position.to_move))
    (light, dark), variant = position.scored, position.variant
    return Message("start.won", light=light, dark=dark, variant=variant.name, target=variant.target)


@dataclass(frozen=True, slots=True)
class Game:
    """Game, either finished or in progress.

    Attributes:
        variant: variant of the game.
        turns: all turns in order.
        declared_outcome: result declared by the players (resignation, agreement), or None.
        custom_start: position set up by hand in which the game began, or None for the normal start.
    """

    variant: Variant = STANDARD
    turns: tuple[Turn, ...] = ()
    declared_outcome: Outcome | None = None
    custom_start: Position | None = None

    @property
    def start_position(self) -> Position:
        """Position in which the game began."""
        return self.custom_start or Position.start(self.variant)

    @property
    def position(self) -> Position:
        """Position after the last turn."""
        return self.turns[-1].after if self.turns else self.start_position

    @property
    def outcome(self) -> Outcome | None:
        """Result of the game, or None while it is in progress."""
        return find_outcome(self.position) or self.declared_outcome


@dataclass(frozen=True)
class Record(Game):
    """Game with its tags and comments. A `custom_start` equal to the normal start becomes None.

    Attributes:
        tags: additional tags such as Light, Dark and Date. Variant, Position and Result are derived
            from the game and not allowed here.
        comments: comment text by the number of turns before it (0: before the first turn).

    Raises:
        RecordError: a tag or comment cannot be written, no game can start in `custom_start`, or the
            turns do not start there.
    """

    tags: Mapping[str, str] = field(default_factory=dict)
    comments: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if fault := next(self._list_faults(), None):
            raise RecordError(fault, self.turns)
        if self.custom_start == Position.start(self.variant):
            object.__setattr__(self, "custom_start", None)  # so that equal games compare equal

    def _list_faults(self) -> Iterator[Message]:
        """Yield the reasons why this game could not have been played or cannot be written."""
        if start := self.custom_start:
            if start.variant != self.variant:
                yield Message("record.other_variant", start=start.variant.name, variant=self.variant.name)
            if reason := explain_invalid_start(start):
                yield reason
        if self.turns and self.turns[0].before != self.start_position:
            yield Message("record.wrong_first_turn")
        for tag_name, tag_text in self.tags.items():
            if tag_name in _DERIVED_TAGS:
                yield Message("record.derived_tag", tag=tag_name)
            if not re.fullmatch(_TAG_NAME, tag_name, re.ASCII) or not _is_printable_text(tag_text):
                yield Message("record.unwritable_tag", tag=tag_name, text=tag_text)
        for count, comment_text in self.comments.items():
            if not 0 <= count <= len(self.turns):
                yield Message("record.no_such_turn", turn=count, text=comment_text)
            if not re.fullmatch(r"[^\s{}]+( [^\s{}]+)*", comment_text) or not _is_printable_text(comment_text):
                yield Message("record.unwritable_comment", text=comment_text)

    @property
    def result_text(self) -> str:
        """Value of the Result tag."""
        game_outcome = self.outcome
        if game_outcome is None:
            return "*"
        first = LIGHT if game_outcome.winner is None else game_outcome.winner
        score_pair = f"{self.position.scored[first]}-{self.position.scored[first.other_side]}"
        score_text = f"{'draw' if game_outcome.winner is None else game_outcome.winner} {score_pair}"
        return score_text if game_outcome.reason is EndReason.SCORE else f"{score_text} {game_outcome.reason.value}"

    def __str__(self) -> str:
        """Return the record as text in the format that `parse_record` reads."""
        return "\n".join((*self._tag_lines(), "", *_wrap_words(self._iterate_words()), ""))

    def _tag_lines(self) -> Iterator[str]:
        start_tags = {"Position": self.custom_start.notation_line} if self.custom_start else {}
        tags = {"Variant": self.variant.name, **start_tags, **self.tags, "Result": self.result_text}
        for tag_name, tag_text in tags.items():
            escaped = tag_text.replace("\\", "\\\\").replace('"', '\\"')
            yield f'[{tag_name} "{escaped}"]'

    def _iterate_words(self) -> Iterator[str]:
        for count in range(len(self.turns) + 1):
            if count:
                number = _format_number(self.start_position, count - 1)
                yield from filter(None, (number, str(self.turns[count - 1].action)))
            if count in self.comments:
                yield f"{{{self.comments[count]}}}"


_DERIVED_TAGS = ("Variant", "Position", "Result")
_TAG_NAME = r"[A-Za-z][A-Za-z0-9_]*"
_TAG_PATTERN = re.compile(rf'\[({_TAG_NAME})\s"((?:[^"\\]|\\["\\])*)"\]')  # some editors write no-break spaces
_COUNT_PATTERN = "(0|[1-9][0-9]?)"
_RESULT_PATTERN = re.compile(
    rf"(light|dark|draw) {_COUNT_PATTERN}-{_COUNT_PATTERN}(?: (score|elimination|resignation|agreement))?", re.ASCII
)
_WORD_PATTERN = re.compile(r"\{[^{}]*\}|[^\s{}]+|[{}]")


def _is_printable_text(checked_text: str) -> bool:
    """Return True if a text contains no control characters or surrogates. Any language is allowed."""
    return not any(category(character) in ("Cc", "Cs") for character in checked_text)


def _pair_number(start: Position, turn_count: int) -> int:
    """Return the number of the pair that contains the action after `turn_count` turns."""
    return (turn_count + start.to_move) // 2 + 1


def _format_number(start: Position, count: int) -> str | None:
    """Return the number written before the next action: `1.`, `1...`, or None."""
    pair = _pair_number(start, count)
    if (count + start.to_move) % 2 == 0:
        return f"{pair}."
    return None if count else f"{pair}..."


def parse_record(record_text: str) -> Record:
    """Read a record and replay its game through the rules.

    Args:
        record_text: one game in the notation described at the top of this module. The default
            variant is `standard`, the default start is the empty pond.

    Raises:
        RecordError: the message describes the error and its line or action.
    """
    lines = re.split(r"\r\n|\r|\n", record_text.removeprefix("\ufeff"))
    if not any(line.strip() for line in lines):
        raise RecordError(Message("record.empty"))
    tags, first = _parse_tags(lines)
    with _reading_tag("Variant"):
        variant = parse_variant(tags.pop("Variant", STANDARD.name))
    with _reading_tag("Position"):
        start = _parse_start(tags.pop("Position", None), variant)
    result = tags.pop("Result", None)
    turns, comments = _replay_actions(start, _split_words(lines, first))
    declared_outcome = None if result is None else _parse_result(result, Record(variant, turns, custom_start=start))
    return Record(variant, turns, declared_outcome, start, tags, comments)


@contextmanager
def _reading_tag(tag_name: str) -> Iterator[None]:
    try:
        yield
    except NotationError as error:
        raise RecordError(Message("record.wrong_tag", tag=tag_name, reason=error.message)) from error


def _parse_start(start_notation: str | None, variant: Variant) -> Position:
    if start_notation is None:
        return Position.start(variant)
    start = Position.from_notation(start_notation, variant)
    if reason := explain_invalid_start(start):
        raise NotationError(reason)
    return start


def _parse_tags(lines: list[str]) -> tuple[dict[str, str], int]:
    """Return the tags and the number of lines they occupy."""
    tags: dict[str, str] = {}
    for number, line in enumerate(lines):
        stripped = line.strip()
        if stripped and not stripped.startswith("["):
            return tags, number
        if not stripped:
            continue
        tag = _TAG_PATTERN.fullmatch(stripped)
        if not tag or not _is_printable_text(tag[2]):
            raise RecordError(Message("record.wrong_tag_line", line=number + 1, text=_shorten(stripped)))
        if tag[1] in tags:
            raise RecordError(Message("record.second_tag", line=number + 1, tag=tag[1]))
        tag_text = re.sub(r"\\(.)", r"\1", tag[2])
        tags[tag[1]] = re.sub(r"\s", " ", tag_text) if tag[1] in _DERIVED_TAGS else tag_text
    return tags, len(lines)


def _split_words(text_lines: list[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield each number, action and comment with its line number. Comments may span several lines."""
    body = "\n".join(text_lines[first:])
    line_number, seen_until = first + 1, 0
    for word in _WORD_PATTERN.finditer(body):
        line_number += body.count("\n", seen_until, word.start())
        seen_until = word.start()
        yield line_number, word[0]


def _replay_actions(start: Position, words: Iterator[tuple[int, str]]) -> tuple[tuple[Turn, ...], dict[int, str]]:
    """Return the turns, and the comments by the number of turns before them."""
    turns, remarks = list[Turn](), defaultdict[int, list[str]](list)
    line, is_numbered = 0, False  # is_numbered: the number before the next action has been read
    for line, word in words:
        number = _format_number(start, len(turns))
        if word in ("{", "}"):
            raise RecordError(Message("record.lone_brace", line=line), tuple(turns))
        if word[0] == "[":
            raise RecordError(Message("record.late_tag", line=line), tuple(turns))
        if word[0] == "{":
            remarks[len(turns)] += word[1:-1].split()
        elif is_numbered or not number:
            turns.append(_replay_action(line, word, turns, start))
            is_numbered = False
        elif word == number:
            is_numbered = True
        elif not turns and not re.match("[0-9@]|[a-z][0-9]", word):
            raise RecordError(Message("record.not_a_record", line=line))
        else:
            fault = Message("record.wrong_number", line=line, number=number, text=_shorten(word))
            if not turns and word in ("1.", "1..."):
                fault = Message("record.wrong_first_number", line=line, number=number, side=str(start.to_move))
            raise RecordError(fault, tuple(turns))
    if is_numbered:
        raise RecordError(
            Message("record.no_action", line=line, number=str(_format_number(start, len(turns)))), tuple(turns)
        )
    return tuple(turns), {count: " ".join(remark_words) for count, remark_words in remarks.items() if remark_words}


def _replay_action(line: int, word: str, turns: list[Turn], start: Position) -> Turn:
    position, pair = turns[-1].after if turns else start, _pair_number(start, len(turns))
    if word == f"{pair + 1}.":
        raise RecordError(
            Message("record.missing_action", line=line, side=str(position.to_move), number=word), tuple(turns)
        )
    place: dict[str, str | int] = {"action": len(turns) + 1, "turn": pair, "side": str(position.to_move)}
    try:
        return play(position, Action.from_notation(word))
    except IllegalAction as error:
        raise RecordError(
            Message("record.illegal_action", **place, text=word, reason=error.message), tuple(turns)
        ) from error
    except NotationError as error:
        raise RecordError(
            Message("record.unreadable_action", line=line, **place, reason=error.message), tuple(turns)
        ) from error


def _parse_result(result_text: str, played: Record) -> Outcome | None:
    """Return the outcome declared by the players, after checking the tag against the replayed game."""
    if result_text == played.result_text:
        return None
    tag = _RESULT_PATTERN.fullmatch(result_text)
    if not tag and result_text != "*":
        raise RecordError(Message("record.wrong_result", text=_shorten(result_text)), played.turns)
    if tag and {int(tag[2]), int(tag[3])} == set(played.position.scored):
        winner = None if tag[1] == "draw" else Side[tag[1].upper()]
        by_players = EndReason.AGREEMENT if winner is None else EndReason.RESIGNATION
        outcome = played.outcome
        if outcome and winner is outcome.winner and tag[4] in (None, outcome.reason.value):
            return None
        if not outcome and tag[4] == by_players.value:
            return Outcome(winner, by_players)
    fault = Message("record.result_of_unfinished_game", text=result_text)
    if played.outcome:
        fault = Message("record.other_result", text=result_text, result=played.result_text)
    raise RecordError(fault, played.turns)


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _wrap_words(words: Iterator[str], line_width: int = 88) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > line_width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line
