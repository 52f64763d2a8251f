"""`pond cards play`: the card game in the terminal."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from copy import copy
from typing import Any, ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.content import Content

from pond_hw.cards.board import CardBoard
from pond_hw.cards.rules import NO_TRAP, CardGame, Phase
from pond_hw.cards.rules.card import Category, categorise
from pond_hw.cards.rules.deal import Deal
from pond_hw.cards.rules.game import GameEvent
from pond_hw.cards.rules.round import TAKEN_BY, Action, Round
from pond_hw.cards.saved_games import format_event
from pond_hw.cards.scene import CardScene, scene_of_view
from pond_hw.cards.screens.app import CardApp
from pond_hw.cards.screens.drawing import (
    TableView,
    action_text,
    draw_round_score,
    draw_table,
    draw_text_page,
    sorted_hand,
)
from pond_hw.cards.session import CardSession
from pond_hw.cards.sheet_text import name_seat, name_side
from pond_hw.journal.other_games import OtherGameJournal
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message, PondError

PROGRAM_PAUSE_SECONDS = 1.0
"""Delay in seconds before a computer player acts, so that people can follow."""

TRICK_PAUSE_SECONDS = 2.5
"""Delay in seconds before a computer player acts after a trick has been taken."""


def play_cards(session: CardSession, language: str, board: CardBoard | None, journal: OtherGameJournal) -> CardPlay:
    """Run the screen until it is closed, and return it."""
    executor = ThreadPoolExecutor(1, "card program")  # pure Python, so lamps and keys keep working meanwhile
    app = CardPlay(session, executor, board, journal, get_catalogue(language, "terminal"))
    try:
        app.run()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
    return app


class _PendingChoice(NamedTuple):
    """A choice computed in the background. `is_hint` is True for a hint, False for a computer player's action."""

    game: CardGame
    is_hint: bool
    choice: Future[Action]


class CardPlay(CardApp):
    """Screen of a card game.

    Args:
        executor: executor that runs computer players and hints.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1)", "move", key_display="← →"),
        Binding("right", "go(1)", show=False),
        Binding("home", "go(-99)", show=False),
        Binding("end", "go(99)", show=False),
        Binding("enter,space", "press", "card_play", key_display="Enter"),
        Binding("n,N", "no_trap", "card_no_trap"),
        Binding("h,H", "hint", "hint"),
        Binding("u,U", "undo", "undo"),
        Binding("b,B", "board", "card_board"),
        Binding("question_mark,f1", "help", "help", key_display="?"),
        Binding("q,Q", "leave", "quit"),
    ]

    def __init__(self, session: CardSession, executor: Executor, *screen_settings: Any, **more_settings: Any) -> None:
        super().__init__(*screen_settings, **more_settings)
        self.session, self._executor = session, executor
        self._pending: _PendingChoice | None = None
        self.cursor = 0
        self._hint: Action | None = None
        self._awaits_hint = False
        self._news: tuple[Message, ...] = ()
        self._refusal: Message | None = None
        people = session.people
        self._viewer = people[0] if len(people) == 1 else 0
        self._is_covered = len(people) > 1
        self._next_at = 0.0  # earliest action of a computer player
        self._unsaved_entries: list[str] = []
        if not session.game.events:
            self._deal()

    # Game

    def advance(self) -> None:
        """Play a computer player's action when due, show a finished hint, or cover the hand for the next player."""
        session = self.session
        if session.to_move is None:
            return
        if session.is_persons_turn:
            if len(session.people) > 1 and session.to_move != self._viewer:
                self._viewer, self._is_covered = session.to_move, True
                self._after_change()
            elif self._awaits_hint and (hint := self._find_choice(is_hint=True)) is not None:
                self._hint, self._awaits_hint = hint, False
                if hint in self._choices:
                    self.cursor = self._choices.index(hint)
            return
        choice = self._find_choice(is_hint=False)
        if choice is not None and self._now() >= self._next_at and len(self.screen_stack) == 1:
            self._act(choice)

    def _find_choice(self, *, is_hint: bool) -> Action | None:
        """Return the computer player's choice or the hint; None while it is being computed."""
        pending = self._pending
        if pending is None or pending.game is not self.session.game or pending.is_hint != is_hint:
            if pending:
                pending.choice.cancel()
            session = copy(self.session)  # a snapshot: players can act or undo meanwhile
            choice = self._executor.submit(session.hint if is_hint else session.choose_for_program)
            pending = self._pending = _PendingChoice(session.game, is_hint, choice)
        return pending.choice.result() if pending.choice.done() else None

    def _deal(self) -> None:
        self._save_event(self.session.deal())
        self._news, self._next_at = (), self._now() + PROGRAM_PAUSE_SECONDS
        self._after_change()

    def _act(self, action: Action) -> None:
        before = self.session.game.current_round
        assert before is not None
        self.session.act(action)
        self._save_event(action)
        after = self.session.game.current_round
        assert after is not None
        self._news = (*self._news[-1:], *self._describe(before, action, after))[-3:]
        took_trick = len(after.tricks) > len(before.tricks)
        self._next_at = self._now() + (TRICK_PAUSE_SECONDS if took_trick else PROGRAM_PAUSE_SECONDS)
        self._after_change()

    def _save_event(self, event: GameEvent) -> None:
        """Save an event. Nothing is saved before the first action."""
        self._unsaved_entries.append(format_event(event))
        if self._has_begun:
            for entry in self._unsaved_entries:
                self.journal.add_entry(entry)
            self._unsaved_entries.clear()

    def _after_change(self) -> None:
        self._hint = self._refusal = None
        self._awaits_hint = False
        choices, view = self._choices, self.session.view_for(self._viewer)
        if view.phase is Phase.PROFIT:  # start at a card that can be set aside
            self.cursor = next((place for place, card in enumerate(choices) if card in view.legal_actions), 0)
        self.cursor = min(self.cursor, max(0, len(choices) - 1))

    def _describe(self, before: Round, action: Action, after: Round) -> list[Message]:
        """Describe an action without naming a face-down card."""
        names = self.session.shown_names
        player, card = name_seat(before.to_move, names), action_text(action, names, self.catalogue)
        news: list[Message] = []
        match before.phase:
            case Phase.PROFIT:
                news.append(Message("cards.news.profit", player=player))
            case Phase.BAIT:
                news.append(Message("cards.news.bait", player=player, card=card))
            case Phase.TRAP:
                news.append(Message(f"cards.news.{'no_trap' if action == NO_TRAP else 'trap'}", player=player))
            case Phase.TRICK:
                news.append(Message("cards.news.trick", player=player, card=card))
        if len(after.tricks) > len(before.tricks):
            news.append(Message("cards.news.taken", player=name_seat(after.tricks[-1].winner, names)))
        return news

    # Display

    @property
    def _choices(self) -> list[Action]:
        """Actions that the cursor can select."""
        view = self.session.view_for(self._viewer)
        if view.phase is Phase.TIE:
            return [TAKEN_BY + seat for seat in view.tied_seats]
        return list(sorted_hand(view.hand))

    @property
    def _may_act(self) -> bool:
        """True if the player at the screen can act."""
        return self.session.is_persons_turn and self.session.to_move == self._viewer and not self._is_covered

    def draw(self) -> Content:
        session, names = self.session, self.session.shown_names
        view = session.view_for(self._viewer)
        prompt = (*self.trouble_messages(), *([self._refusal] if self._refusal else self._prompt()))
        table = TableView(view, names, self.cursor, self._hint, prompt, self._news, self._is_covered)
        if session.is_round_over:
            return draw_round_score(table, self._piles(), self.catalogue)
        if self._is_covered and len(session.people) > 1 and session.is_persons_turn:
            title = Message("cards.title")
            return draw_text_page(
                title, [Message("cards.pass_on", player=name_seat(self._viewer, names))], self.catalogue
            )
        return draw_table(table, self.catalogue)

    @property
    def can_continue(self) -> bool:
        return self._has_begun and not self.session.game.is_over

    @property
    def _has_begun(self) -> bool:
        return not all(isinstance(event, Deal) for event in self.session.game.events)

    def _prompt(self) -> tuple[Message, ...]:
        """Return the messages that ask for the next action or report the result."""
        session, names = self.session, self.session.shown_names
        if session.game.is_over:
            winner = session.game.winner
            if winner is None:
                return Message("cards.won.nobody"), Message("cards.prompt.end")
            return Message("cards.won.side", side=name_side(winner, names)), Message("cards.prompt.end")
        current = session.game.current_round
        assert current is not None
        if current.phase is Phase.OVER:
            return (Message("cards.prompt.next_round"),)
        if current.phase is Phase.MISDEAL:
            return (Message("cards.prompt.misdeal"),)
        if not self._may_act:
            return (Message("cards.prompt.wait", player=name_seat(current.to_move, names)),)
        if current.phase is Phase.TIE:
            chosen = name_seat(self._choices[self.cursor] - TAKEN_BY, names)
            return (Message("cards.prompt.tie", player=chosen),)
        kind = current.phase.value
        if current.phase is Phase.TRAP and current.trap:
            kind = "trap_answer"
        elif current.phase is Phase.TRICK and not current.cards:
            kind = "lead"
        hint = self._hint
        hints = () if hint is None else (Message("cards.hint", action=action_text(hint, names, self.catalogue)),)
        hints = (Message("hint.thinking"),) if self._awaits_hint else hints
        return Message(f"cards.prompt.{kind}"), *hints

    def _piles(self) -> list[list[tuple[Message, int, int]]]:
        """For each seat, list the label, number of cards and points of each category in its pile."""
        current = self.session.game.current_round
        assert current is not None
        piles = []
        for seat in range(self.session.rules.seats):
            group = current.group_of(seat)
            assert group is not None
            suit = current.deal.poison_suits[seat]
            kinds = [categorise(card, suit, group) for card in current.pile_of(seat)]
            piles.append(
                [
                    (Message(f"cards.category.{kind.value}", points=kind.points), count, count * kind.points)
                    for kind in Category
                    for count in (kinds.count(kind),)
                ]
            )
        return piles

    def card_scene(self, size: int) -> CardScene | None:
        return scene_of_view(self.session.view_for(self._viewer), size)

    def board_text(self) -> list[Message]:
        return [Message("cards.board.play")]

    # Keys

    def action_go(self, step: int) -> None:
        """Move the cursor to another card or seat."""
        if self._may_act:
            self.cursor = min(max(0, self.cursor + step), max(0, len(self._choices) - 1))
            self._refusal = None
        self.update_screen()

    def action_press(self) -> None:
        """Play the selected card, deal the next round, or uncover the hand."""
        if self.session.game.needs_deal:
            self._deal()
        elif self._is_covered and self.session.is_persons_turn:
            self._is_covered = False
        elif self._may_act:
            self._try(self._choices[self.cursor])
        self.update_screen()

    def action_no_trap(self) -> None:
        if self._may_act:
            self._try(NO_TRAP)
        self.update_screen()

    def _try(self, action: Action) -> None:
        try:
            self._act(action)
        except PondError as error:
            self._refusal = error.message

    def action_hint(self) -> None:
        if self._may_act:
            self._hint = self._refusal = None
            self._awaits_hint = True
        self.update_screen()

    def action_undo(self) -> None:
        try:
            count = self.session.undo()
        except PondError as error:
            self._refusal = error.message
        else:
            for _ in range(count):
                self.journal.take_back()
            self._news = (Message("cards.news.undone"),)
            self._after_change()
        self.update_screen()
