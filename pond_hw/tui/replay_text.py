"""Stepping through a game: the present turn, and the list of moves with what they were worth. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from textwrap import wrap

from textual.content import Content

from pond_hw.engine.analysis import ANALYSIS_COMMENT, Mistake, MoveReview, actions_to_end
from pond_hw.engine.analysis_text import (
    describe_decision,
    describe_pieces,
    describe_remark,
    describe_summary,
    describe_turning_point,
    describe_value,
    explain_mistake,
    pair_number,
    worst_turning_points,
)
from pond_hw.engine.background_review import BackgroundReview
from pond_hw.engine.packed import SURE_VALUE
from pond_hw.engine.player_name import name_player
from pond_hw.lights import turn_duration
from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import pad_text, replace_unprintable
from pond_hw.rules import DARK, LIGHT, Record, Side, Turn
from pond_hw.session import CellRole, CellView, Scene, View, describe_outcome, describe_turn
from pond_hw.tui.status_text import Paragraph, Phrase, count_rows, format_paragraph, format_side
from pond_hw.tui.style import POND_THEME, QUIET_COLOUR

PAUSE_SECONDS = 1.2  # seconds for which a position is seen before the next turn, when the game plays by itself

MISTAKE_SIGNS = {Mistake.NONE: "", Mistake.SLIP: "?!", Mistake.MISTAKE: "?", Mistake.BLUNDER: "??"}
"""What stands behind an action in the list."""

MIN_VALUES_COLUMNS = 34  # columns of the list of actions with their values

MIN_LIST_ROWS = 5  # rows that are kept for the list of actions

LEAST_IF_LOW = 3  # the same beside words that need more room than `LOW` rows leave them

LOW = 19  # rows of words and list together, at the most, of a low window: one of 62 x 20, and not one of 80 x 24


class RecordSteps:
    """A position in a game record.

    Args:
        record: of the game.

    Attributes:
        turns_taken: how many turns have been taken where it is.
        is_playing: whether it goes on as time passes.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.turns_taken = 0
        self.is_playing = False
        self._arrived_at = 0.0  # when it came here
        self._moved_forward = False  # whether by one turn, which is then played out in light

    @property
    def turn_count(self) -> int:
        """How many turns the game has."""
        return len(self.record.turns)

    @property
    def last_turn(self) -> Turn | None:
        """The turn that was taken last, where it is."""
        return self.record.turns[self.turns_taken - 1] if self.turns_taken else None

    def go_to_turn(self, turn_number: int, now: float) -> None:
        """Be after so many turns, or at the end that is nearer."""
        turn_number = min(max(0, turn_number), self.turn_count)
        if turn_number != self.turns_taken:
            self._moved_forward = turn_number == self.turns_taken + 1
            self.turns_taken, self._arrived_at = turn_number, now

    def go_to_pair(self, pair_number: int, now: float) -> None:
        """Be after the first action of a pair, as the record numbers them."""
        self.go_to_turn(2 * pair_number - 1 - self.record.start_position.to_move, now)

    def toggle_playing(self, now: float) -> None:
        """Go on by itself, at once by a turn, or stop; at the end, begin again."""
        self.is_playing = not self.is_playing
        if self.is_playing:
            if self.turns_taken == self.turn_count:
                self.go_to_turn(0, now)
            self.go_to_turn(self.turns_taken + 1, now)

    def pass_time(self, now: float) -> None:
        """Let the time pass."""
        if self.is_playing:
            turn = self.last_turn
            lasting_seconds = PAUSE_SECONDS + (turn_duration(turn) if turn and self._moved_forward else 0.0)
            if now - self._arrived_at >= lasting_seconds:
                self.go_to_turn(self.turns_taken + 1, now)
            self.is_playing = self.turns_taken < self.turn_count

    @property
    def view(self) -> View:
        """The game as it stands here: the pieces, and nothing to be done."""
        record = self.record
        return View(
            size=record.variant.size,
            variant=record.variant,
            turns=record.turns[: self.turns_taken],
            declared_outcome=record.declared_outcome if self.turns_taken == self.turn_count else None,
            custom_start=record.custom_start,
            game_phase="replay",
            turn_is_fresh=self._moved_forward,
            changed_at=self._arrived_at,
        )


def mark_turn(scene: Scene, turn: Turn | None) -> Scene:
    """A scene with the cells of a turn marked: where it ended, what developed, and what scored, which has gone."""
    if turn is None:
        return scene
    cell_views = dict(scene.cell_views)
    scored = set(chain.from_iterable(turn.scored_cells.values()))
    for cell in (developed_piece.cell for developed_piece in turn.developed_pieces):
        cell_views[cell] = cell_views[cell]._replace(role=CellRole.FLIP)
    cell_views[turn.action.target] = cell_views[turn.action.target]._replace(role=CellRole.CHOSEN)
    for cell in scored:
        cell_views[cell] = CellView(turn.pieces_after_develop[cell], CellRole.TAKE_OFF, cell == turn.action.target)
    return scene._replace(cell_views=cell_views)


def format_step(
    steps: RecordSteps,
    move_reviews: Mapping[int, MoveReview],
    activity: Sequence[Message],
    catalogue: Catalogue,
    width: int,
    row_count: int,
) -> Content:
    """Where one is, the score, the turn that was taken last, what was remarked, and what it was worth.

    Args:
        steps: where one is.
        move_reviews: what is known of actions, by how many came before.
        activity: what else goes on.
        catalogue: the language.
        width: columns.
        row_count: rows, those of the list of actions too: where they are few, paragraphs stand closer together.
    """
    width = max(20, width)  # in a window that shows a sentence instead there are none
    record, turn = steps.record, steps.last_turn
    place = Message("record_screen.turn", turn=steps.turns_taken, turns=steps.turn_count)
    head = format_paragraph([Phrase([place], "bold"), Phrase(activity)], catalogue)
    players = [name_player(None, replace_unprintable(record.tags.get(tag, "")).strip()) for tag in ("Light", "Dark")]
    sides, short_sides = (
        Content("\n").join(
            format_side(steps.view, side, players[side], catalogue, width, has_legend=has_legend) for side in Side
        )
        for has_legend in (True, False)
    )
    step = [format_paragraph([phrase], catalogue) for phrase in _describe_step(steps)]
    review = move_reviews.get(steps.turns_taken - 1)
    if review and turn and turn.outcome and not review.mistake_grade:
        review = None  # the outcome says it all
    worths = _describe_worth(record, steps.turns_taken - 1, review) if review else []
    steps_with_worth = [[*step, format_paragraph(worth, catalogue)] for worth in worths] or [step]
    layouts = [Content("\n\n").join([head, sides, Content("\n").join(steps_with_worth[0])])]
    layouts += [
        Content("\n").join([head, some_sides, *step_with_worth])
        for step_with_worth in steps_with_worth
        for some_sides in (sides, short_sides)
    ]
    free_rows = row_count - MIN_LIST_ROWS - 1  # and an empty row above the list
    text = next((layout for layout in layouts if count_rows(layout, width) <= free_rows), layouts[-1])
    if comment := replace_unprintable(ANALYSIS_COMMENT.sub("", record.comments.get(steps.turns_taken, ""))):
        text = Content.assemble(text, "\n", ("\n".join(wrap(comment, width)), f"italic {QUIET_COLOUR}"))
    return text


def _describe_step(steps: RecordSteps) -> Iterator[Phrase]:
    """The turn that was taken last, and at the end how the game ended."""
    record, turn = steps.record, steps.last_turn
    start = Message(f"record_screen.start.{'set_up' if record.custom_start else 'empty'}", variant=record.variant.name)
    yield Phrase(describe_turn(turn) if turn else [start])
    if steps.turns_taken == steps.turn_count:
        outcome, position = steps.view.outcome, steps.view.position
        yield Phrase([describe_outcome(outcome, position) if outcome else Message("record_screen.unfinished")], "bold")


def _describe_worth(record: Record, n: int, judged: MoveReview) -> list[Paragraph]:
    """What an action was worth; of a turning point all that there is to say, then the same in fewer and fewer words."""
    worth, remark = Message("record_screen.worth", worth=describe_value(judged)), describe_remark(judged)
    short: Paragraph = (Phrase([worth], "bold"), Phrase([remark] if remark else ()))
    if not judged.is_turning_point:
        return [short]
    title = Phrase([Message("record_screen.turning_point", worth=describe_value(judged))], f"bold {POND_THEME.primary}")
    mistake, better, *sets = explain_mistake(record, n, judged)
    return [(title, Phrase((mistake, better, *sets))), (title, Phrase((mistake, better))), short]


def format_actions(
    record: Record, at: int, move_reviews: Mapping[int, MoveReview], catalogue: Catalogue, wide: int, high: int
) -> Content:
    """The actions, a pair to a line: as many lines as there is room for, with the present one among them.

    Args:
        record: of the game.
        at: how many turns have been taken where one is.
        move_reviews: what is known of actions, by how many came before.
        catalogue: the language.
        wide: columns; where they are too few, there are no values.
        high: rows.
    """
    has_values = wide >= MIN_VALUES_COLUMNS
    lines = list[list[Content]]()
    present = 0
    for n in range(len(record.turns)):
        if not lines or not (n + record.start_position.to_move) % 2:
            lines.append([Content(f"{pair_number(record, n):>3}. ")])
            if record.start_position.to_move and not n:
                lines[-1].append(Content(f"{'...':<{14 if has_values else 6}} "))
        if n == max(0, at - 1):
            present = len(lines) - 1
        if len(lines[-1]) == 2 and lines[-1][1].plain[0] != ".":
            lines[-1].append(Content(" "))
        review = move_reviews.get(n)
        worth = catalogue.text(describe_short_worth(review)) if review and has_values else ""
        action = _format_action(record, n, review, is_here=n == at - 1)
        lines[-1].append(
            Content.assemble(action, (f" {pad_text(worth, 7, right=True)}", QUIET_COLOUR) if has_values else "")
        )
    first_line = min(max(0, present - high // 2), max(0, len(lines) - high))
    return Content("\n").join(Content("").join(text_line) for text_line in lines[first_line : first_line + high])


def _format_action(record: Record, n: int, judged: MoveReview | None, *, is_here: bool) -> Content:
    """An action in six columns: what it was, and how bad."""
    turning = judged is not None and judged.is_turning_point
    sign = MISTAKE_SIGNS[judged.mistake_grade] if judged else ""
    style = " ".join(filter(None, ("reverse" if is_here else "", f"bold {POND_THEME.primary}" if turning else "")))
    action = f"{record.turns[n].action}{sign}"
    return Content.assemble((action, style), " " * (6 - len(action)))


def describe_short_worth(move_review: MoveReview) -> Message:
    """What an action was worth, in seven columns at the most: `+1.3`, `L in 12`, `D won`."""
    worth = move_review.value_for_light(move_review.value)
    if abs(worth) < SURE_VALUE:
        return describe_pieces(worth)
    more, winner = actions_to_end(worth), LIGHT if worth > 0 else DARK
    return Message(f"short_worth.{winner}.{'wins_in' if more else 'won'}", actions=more)


HEADING_ROWS = 2  # rows above the list of moves


def format_moves(
    record: Record, judged: Mapping[int, MoveReview], catalogue: Catalogue, width: int, row_count: int
) -> Content:
    """The last moves, two to a row; nothing before the first.

    Args:
        record: of the game so far.
        judged: what is known of actions, by how many came before.
        catalogue: the language.
        width: columns.
        row_count: rows.
    """
    if not record.turns or row_count <= HEADING_ROWS:
        return Content("")
    signs = [Message("moves.signs")] if judged else []
    head = format_paragraph([Phrase([Message("moves.title")], "bold"), Phrase(signs)], catalogue)
    actions = format_actions(record, len(record.turns), judged, catalogue, width, row_count - HEADING_ROWS)
    return Content.assemble(head, "\n\n", actions)


def describe_review(review: BackgroundReview) -> tuple[tuple[Message, ...], ...]:
    """How a game went, a paragraph each, what matters most first; how far the review is, as long as it is not done."""
    record = review.record
    if review.is_running:
        return ((Message("review.running", done=len(review.move_reviews), actions=len(record.turns)),),)
    if not review.is_complete:
        return ()
    move_reviews = [review.move_reviews[turn_number] for turn_number in range(len(record.turns))]
    worst = sorted(worst_turning_points(move_reviews), key=lambda turn_number: -move_reviews[turn_number].value_loss)
    return (
        (Message("review.how_it_went"), *describe_decision(record, move_reviews)),
        *(describe_turning_point(record, turn_number, move_reviews[turn_number]) for turn_number in worst),
        *(describe_summary(move_reviews, side) for side in Side),
    )
