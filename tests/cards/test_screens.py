"""Tests of the card game's terminal screens."""

import asyncio
import re
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from random import Random

import pytest

from pond_hw.cards.board import CardBoard
from pond_hw.cards.rules import Phase, Rules
from pond_hw.cards.rules.card import card_text
from pond_hw.cards.rules.score_sheet import ScoreSheet, SheetPhase, replay_entries
from pond_hw.cards.screens.app import BoardScreen, CardHelp
from pond_hw.cards.screens.drawing import (
    COLUMNS,
    COUNT_COLUMN,
    LIST_COLUMN,
    NAME_COLUMN,
    POISON_COLUMN,
    PROFIT_COLUMN,
    ROWS,
    sorted_hand,
    wrap_text,
)
from pond_hw.cards.screens.play import CardPlay
from pond_hw.cards.screens.score import CardScore
from pond_hw.cards.session import CardSession
from pond_hw.journal.other_games import OtherGameJournal, read_other_games
from pond_hw.lights import CurrentLimiter
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import count_columns
from pond_hw.simulator import SimulatedBoard
from pond_hw.tui.dialogs import ConfirmDialog
from tests.messages.says import text
from tests.tui.pseudo_language import PseudoLanguage, unmarked_words, write_help
from tests.tui.terminal_table import AppDriver, key_bar, widget_text, without_painting


class Screen(AppDriver):
    """Driver of a running screen."""

    async def wait(self, seconds=5.0):
        self.clock[0] += seconds
        self.app.update_screen()
        await self.settle()

    async def play_on(self, until):
        """Press Enter and advance time until a condition is true."""
        for _ in range(400):
            if until():
                return
            if self.app.session.game.needs_deal or self.app.session.is_persons_turn:
                await self.press("enter")
            else:
                await self.wait()
        raise AssertionError("it never came to that")

    @property
    def text(self):
        return self.app.draw().plain

    @property
    def game(self):
        return self.app.session.game


def run_app(make_app, act, size=(80, 24)):
    """Run a screen, call `act` with it, and close it."""

    async def run():
        clock = [0.0]
        app = make_app(lambda: clock[0])
        async with app.run_test(size=size) as pilot:
            screen = Screen(app, pilot, clock)
            await screen.settle()
            await act(screen)
        app.update_screen()  # a timer may fire once more after the screen closed
        return app

    with without_painting():
        return asyncio.run(run())


def board(size=4):
    simulated = SimulatedBoard(size, 4, lambda: 0.0)
    made = CardBoard(simulated.to_board(), CurrentLimiter.for_lamps(64), lambda: 0.0)
    made.open()
    return made, simulated


class ImmediateExecutor(Executor):
    """Executor that runs each job immediately."""

    def submit(self, think):
        future = Future()
        future.set_result(think())
        return future


class ManualExecutor(Executor):
    """Executor that runs its jobs one at a time, on request."""

    def __init__(self):
        self.jobs = []

    def submit(self, think):
        self.jobs.append((Future(), think))
        return self.jobs[-1][0]

    def finish_next(self):
        future, think = self.jobs.pop(0)
        if future.set_running_or_notify_cancel():
            future.set_result(think())


def run_play(
    act,
    seats=("human", "sensible"),
    seed=3,
    card_board=None,
    journal=None,
    language="en",
    names=(),
    executor=None,
    words=None,
    **how,
):
    played = CardSession(Rules(len(seats)), seats, seed, 0, names)
    journal = journal or OtherGameJournal(None)
    made = words or get_catalogue(language)
    executor = executor or ImmediateExecutor()
    return run_app(
        lambda now: CardPlay(played, executor, card_board, journal, made, auto_update=False, now=now), act, **how
    )


# Play


def test_screen_fits_and_shows_side_to_move():
    async def act(screen):
        lines = screen.text.split("\n")
        assert len(lines) == ROWS
        assert {count_columns(line) for line in lines} == {COLUMNS}
        assert "The card game Pond: round 1 of 4, Ada deals" in screen.text
        assert "►1 Ada" in screen.text

    run_play(act, names=("Ada", ""))


def test_arrow_keys_choose_and_enter_plays():
    async def act(screen):
        hand = sorted_hand(screen.app.session.view_for(0).hand)
        assert screen.app.cursor == 1  # the king before it chooses no group
        await screen.press("right")
        assert screen.app.cursor == 2
        await screen.press("enter")
        assert screen.game.current_round.markers[0] == hand[2]
        assert screen.game.current_round.to_move == 1
        await screen.wait()
        assert screen.game.current_round.phase is Phase.BAIT
        assert "profit 8-10" in screen.text
        await screen.press("end")
        assert screen.app.cursor == len(screen.app.session.view_for(0).hand) - 1
        await screen.press("home", "left")
        assert screen.app.cursor == 0

    run_play(act)


def test_illegal_action_shows_message():
    async def act(screen):
        await screen.press("home", "enter")  # a king chooses no group
        assert "K♠ can't be set aside" in screen.text.replace("\n", " ")
        await screen.press("n")
        assert "decline a trap now" in screen.text
        assert len(screen.game.events) == 1
        await screen.press("right")
        assert "decline a trap now" not in screen.text

    run_play(act)


def test_trap_can_be_declined_with_n():
    async def act(screen):
        await screen.press("enter")
        await screen.wait()
        await screen.press("enter")
        await screen.wait()
        assert screen.game.current_round.phase is Phase.TRAP
        await screen.press("n")
        assert screen.game.current_round.phase is Phase.TRICK
        assert "sets no trap" in screen.text

    run_play(act)


@pytest.mark.slow
def test_hint_moves_cursor_and_undo_works():
    async def act(screen):
        before = screen.game
        await screen.press("h")
        hint = screen.app.session.hint()
        assert sorted_hand(screen.app.session.view_for(0).hand)[screen.app.cursor] == hint
        assert f"Hint: {card_text(hint)}." in screen.text
        await screen.press("enter")
        await screen.wait()
        await screen.press("u")
        assert screen.game == before
        assert "Undone." in screen.text
        await screen.press("u")
        assert "nothing to undo" in screen.text

    run_play(act)


def test_bot_waits_before_acting():
    async def act(screen):
        await screen.press("enter")
        await screen.wait(0.3)
        assert screen.game.current_round.to_move == 1
        await screen.wait(1.0)
        assert screen.game.current_round.to_move == 0

    run_play(act)


@pytest.mark.slow
def test_keys_work_while_bot_thinks():
    executor = ManualExecutor()

    async def act(screen):
        await screen.press("enter")
        before = screen.game
        await screen.wait(30.0)
        assert text(Message("cards.prompt.wait", player=Message("cards.program.strong"))) in screen.text
        await screen.press("question_mark")
        assert isinstance(screen.app.screen, CardHelp)
        executor.finish_next()
        await screen.wait()
        assert screen.game == before, "nothing happens behind an open page"
        await screen.press("escape")
        await screen.wait()
        alone = CardSession(Rules(2), ("human", "strong"), 3, 0, (), before.events)
        assert screen.game.events[-1] == alone.choose_for_program(), "and it is what would have been done anyway"

    run_play(act, ("human", "strong"), executor=executor)


@pytest.mark.slow
def test_choice_for_undone_game_is_dropped():
    executor = ManualExecutor()

    async def act(screen):
        await screen.press("enter")
        await screen.wait()
        choice = screen.app.session.choose_for_program()
        await screen.press("u")
        _, think = executor.jobs[0]
        assert think() == choice, "the running job is unaffected"
        await screen.press("right", "enter")
        assert len(screen.game.events) == 2
        await screen.wait()
        executor.finish_next()
        await screen.wait()
        assert len(screen.game.events) == 2, "that was about the other card"
        executor.finish_next()
        await screen.wait()
        assert len(screen.game.events) == 3

    run_play(act, ("human", "strong"), executor=executor)


@pytest.mark.slow
def test_hint_is_dropped_after_an_action():
    executor = ManualExecutor()

    async def act(screen):
        await screen.press("h")
        assert "Looking for a hint." in screen.text
        await screen.press("end")
        assert screen.app.cursor == len(screen.app.session.view_for(0).hand) - 1
        executor.finish_next()
        await screen.wait()
        hint = screen.app.session.hint()
        assert "Looking for a hint." not in screen.text
        assert f"Hint: {card_text(hint)}." in screen.text
        assert sorted_hand(screen.app.session.view_for(0).hand)[screen.app.cursor] == hint
        await screen.press("enter")
        await screen.wait()
        executor.finish_next()
        await screen.wait()
        await screen.press("h", "enter")
        assert not screen.app.session.is_persons_turn
        for _ in range(9):
            if executor.jobs:
                executor.finish_next()
            await screen.wait()
        assert screen.app.session.is_persons_turn
        assert "Hint:" not in screen.text
        assert "Thinking" not in screen.text
        assert not executor.jobs

    run_play(act, executor=executor)


@pytest.mark.slow
def test_bot_thinks_in_a_real_thread():
    executor = ThreadPoolExecutor(1)

    async def act(screen):
        await screen.press("enter")
        for _ in range(1000):
            await screen.wait()
            if screen.app.session.is_persons_turn:
                return
            await asyncio.sleep(0.01)
        raise AssertionError("it never came to an end")

    run_play(act, ("human", "strong"), executor=executor)
    executor.shutdown()


@pytest.mark.slow
def test_round_score_is_shown_before_next_deal():
    async def act(screen):
        await screen.play_on(lambda: screen.app.session.is_round_over)
        assert "round 1 is over" in screen.text
        for seat in (0, 1):
            assert str(screen.game.current_round.scores[seat]) in screen.text
        await screen.press("enter")
        assert "round 2 of 4" in screen.text
        await screen.play_on(lambda: screen.game.is_over)
        assert "The game goes to" in screen.text
        await screen.press("enter")  # there is no further round
        assert screen.game.is_over

    run_play(act, seed=4)


def shown_cards(screen):
    """Return the cards visible on the screen, except those picked for poison."""
    words = screen.text.replace("▲", " ").split()
    return {word for word in words if word[-1] in "♠♥♦♣" and len(word) > 1}


@pytest.mark.slow
def test_screen_shows_no_hidden_cards():
    async def act(screen):
        for _ in range(30):
            played = screen.game.current_round
            if played.phase is Phase.OVER:
                return
            hidden = {card_text(card) for card in (*played.hands[1], *played.hidden[1], *played.hidden[0])}
            seen = screen.app.session.view_for(0)
            known = {card_text(card) for card in (*seen.hand, *seen.bait, *seen.cards)}
            assert not shown_cards(screen) & (hidden - known)
            await screen.press("enter") if screen.app.session.is_persons_turn else await screen.wait()

    run_play(act)


def test_two_people_share_the_keyboard():
    async def act(screen):
        assert "Hand the keyboard to Ada" in screen.text
        assert not shown_cards(screen)
        await screen.press("enter")
        assert len(shown_cards(screen)) == 11
        await screen.press("enter")
        await screen.wait()
        assert "Hand the keyboard to Ben" in screen.text
        assert not shown_cards(screen)
        before = screen.game
        await screen.press("h", "n", "right")  # ignored on a covered hand
        assert screen.game == before

    run_play(act, ("human", "human"), names=("Ada", "Ben"))


@pytest.mark.slow
def test_tie_in_four_player_game_is_decided():
    async def act(screen):
        await screen.play_on(
            lambda: screen.game.current_round.phase is Phase.TIE and screen.app.session.is_persons_turn
        )
        assert "The highest cards tie" in screen.text
        tied = screen.game.current_round.tied_seats
        await screen.press("right")
        taken = len(screen.game.current_round.tricks)
        await screen.press("enter")
        assert screen.game.current_round.tricks[taken].winner == tied[1]
        assert screen.game.current_round.tricks[taken].was_tied

    run_play(act, ("human", "random", "random", "random"), seed=13)


@pytest.mark.slow
def test_bots_of_the_same_kind_are_numbered():
    async def act(screen):
        for seat in (2, 4):
            assert f"{seat} {text(Message('cards.program.numbered', number=seat))}" in screen.text
        assert f"3 {text(Message('cards.program.random'))}" in screen.text
        await screen.press("enter")
        await screen.play_on(lambda: len(screen.game.current_round.bait) == 2)
        assert re.search(r"^ +1   2 *$", screen.text, re.MULTILINE)

    run_play(act, ("human", "sensible", "random", "sensible"))


@pytest.mark.slow
def test_bots_can_play_against_each_other():
    async def act(screen):
        await screen.play_on(lambda: screen.app.session.is_round_over)
        assert "round 1 is over" in screen.text

    run_play(act, ("random", "sensible"))


def test_misdeal_is_shown_on_screen():
    async def act(screen):
        played = screen.game.current_round._replace(phase=Phase.MISDEAL)
        screen.app.session.game = screen.game._replace(current_round=played)
        assert "Press Enter to deal again" in screen.text
        await screen.press("enter")
        assert screen.game.current_round.phase is Phase.PROFIT
        assert screen.game.current_round.dealer == played.dealer

    run_play(act)


def test_game_is_saved_while_played(tmp_path):
    journal = OtherGameJournal(tmp_path)
    journal.begin_game({})

    async def act(screen):
        await screen.press("enter")
        await screen.wait()
        await screen.press("enter", "u")
        events = len(screen.game.events)
        assert len(read_other_games(tmp_path)[0][0].entries) == events

    run_play(act, journal=journal)
    journal.close()


def test_small_window_shows_a_message():
    async def act(screen):
        assert screen.app._small.display
        assert not screen.app._page.display

    run_play(act, size=(79, 24))


@pytest.mark.slow
def test_help_and_board_screens_open_and_close():
    made, _ = board()

    async def act(screen):
        await screen.press("question_mark")
        assert isinstance(screen.app.screen, CardHelp)
        await screen.press("space", "escape")
        await screen.press("b")
        assert isinstance(screen.app.screen, BoardScreen)
        await screen.wait()
        assert any(made.frame.data)
        await screen.press("up", "enter", "escape")
        assert len(screen.app.screen_stack) == 1

    run_play(act, card_board=made)


def test_first_screen_explains_the_game():
    async def act(screen):
        assert text(Message("cards.welcome", rounds=4)) in " ".join(screen.text.split())
        await screen.press("enter")
        await screen.wait()
        assert text(Message("cards.group.bait")) in screen.text
        assert text(Message("cards.welcome", rounds=4))[:20] not in screen.text

    run_play(act)


def test_cards_show_whole_profit_ranks():
    async def act(screen):
        assert "8-10" in screen.text
        assert "8-X" not in screen.text

    run_play(act)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["q", "ctrl+q"])
def test_quitting_during_game_needs_confirmation(tmp_path, capsys, key):
    journal = OtherGameJournal(tmp_path)
    journal.begin_game({})

    async def act(screen):
        await screen.press("enter", key)
        assert isinstance(screen.app.screen, ConfirmDialog)
        assert screen.app.screen.question == Message("confirm.quit.saved")
        await screen.press("n")
        assert screen.app.is_running
        await screen.press(key, "y")

    app = run_play(act, journal=journal)
    assert app.return_code == 0
    app.leave_terminal("pond cards play --resume")
    assert capsys.readouterr().out == f"{text(Message('farewell.saved', command='pond cards play --resume'))}\n"
    journal.close()


def test_quitting_unsaved_game_shows_a_warning():
    async def act(screen):
        await screen.press("enter", "q")
        assert screen.app.screen.question == Message("confirm.quit.unsaved")

    run_play(act)


def test_quitting_before_first_card_needs_no_confirmation(tmp_path, capsys):
    async def act(screen):
        await screen.press("q")

    app = run_play(act)
    assert app.return_code == 0
    app.leave_terminal("pond cards play --resume")
    assert capsys.readouterr().out == ""


def test_game_without_action_is_not_saved(tmp_path):
    journal = OtherGameJournal(tmp_path)
    journal.begin_game({})

    async def act(screen):
        await screen.press("q")

    run_play(act, journal=journal)
    journal.close()
    assert read_other_games(tmp_path)[0] == []


@pytest.mark.slow
def test_board_key_without_board_does_nothing():
    async def act(screen):
        await screen.press("b")
        assert len(screen.app.screen_stack) == 1

    run_play(act)


@pytest.mark.parametrize("language", LANGUAGES)
def test_prompts_fit_in_every_language(language):
    text = get_catalogue(language).text
    kinds = ["profit", "bait", "trap", "trap_answer", "lead", "trick", "next_round", "misdeal"]
    prompts = [text(Message(f"cards.prompt.{kind}")) for kind in kinds]
    prompts += [text(Message(f"cards.prompt.{kind}", player="x" * 14)) for kind in ("tie", "wait")]
    for prompt in prompts:
        assert not any(line.endswith("…") for line in wrap_text(prompt, LIST_COLUMN - 2, 3)), prompt
    for count in (1, 15):
        label = f"{text(Message('cards.in_hand', count=count))}, {text(Message('cards.tricks', count=6))}"
        assert count_columns(label) < LIST_COLUMN - 41
    assert count_columns(text(Message("cards.poison", suit="♥"))) < PROFIT_COLUMN - POISON_COLUMN
    assert count_columns(text(Message("cards.profit", ranks="8-10"))) < COUNT_COLUMN - PROFIT_COLUMN
    for kind in ("random", "sensible", "strong"):
        assert count_columns(text(Message(f"cards.program.{kind}"))) < POISON_COLUMN - NAME_COLUMN
    welcome = wrap_text(text(Message("cards.welcome", rounds=4)), LIST_COLUMN - 2, 5)
    assert not welcome[-1].endswith("…")
    for name in ("poison", "profit", "face", "number", "ace"):
        assert count_columns(text(Message(f"cards.category.{name}", points=-25))) <= 20 + 4


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_round_can_be_played_in_every_language(language):
    async def act(screen):
        await screen.press("question_mark", "escape")
        await screen.play_on(lambda: screen.app.session.is_round_over)
        assert "Pond" in screen.text

    run_play(act, ("human", "random"), language=language)


def test_all_card_game_text_is_translated(tmp_path, monkeypatch):
    write_help(tmp_path, monkeypatch)
    words, found = PseudoLanguage(help_pages="xx"), []

    async def look(screen):
        await screen.settle()
        found.extend(unmarked_words(screen.app.screen))

    async def play(screen):
        await look(screen)
        for _ in range(12):
            await (screen.press("enter") if screen.app.session.is_persons_turn else screen.wait())
            await look(screen)
        for key in ("h", "home", "n", "q", "n", "question_mark"):
            await screen.press(key)
            await look(screen)

    async def score(screen):
        for key in ("enter", "h", "d", "9", "1", "t", "2", "p", "enter", "1", "s", "enter", "2", "escape", "q"):
            await screen.press(key)
            await look(screen)

    run_play(play, words=words)
    run_play(play, ("human", "random", "sensible", "random"), words=words)
    run_score(score, words=words)
    assert found == []


# Score


def run_score(act, card_board=None, journal=None, entries=(), rules=None, names=("Ada", "Ben"), words=None, **how):
    rules = rules or Rules()
    sheet = replay_entries(rules, 0, list(entries))
    journal = journal or OtherGameJournal(None)
    made = words or get_catalogue()
    return run_app(
        lambda now: CardScore(sheet, names, entries, card_board, journal, made, auto_update=False, now=now), act, **how
    )


@pytest.mark.slow
def test_round_is_entered_with_keys():
    async def act(screen):
        assert "Enter Ada's poison suit" in screen.text
        await screen.press("h")
        assert "Enter Ben's poison suit" in screen.text
        await screen.press("d", "t", "2")
        assert "Ben leads. 12 cards are left in each hand." in screen.text
        await screen.press("p", "1", "2", "2", "3", "4", "5")
        assert screen.app.sheet.pile == (1, 2, 1, 1, 1)
        await screen.press("enter", "2", "enter")
        assert screen.app.sheet.totals == (-25 + 30 + 10 + 5 + 1, 15)
        assert "Ada: 21 in total   Ben: 15 in total" in screen.text
        assert "round 1" in screen.text

    run_score(act)


@pytest.mark.slow
def test_last_entry_can_be_undone():
    async def act(screen):
        await screen.press("h", "d", "u")
        assert screen.app.sheet.poison == (1, None)
        await screen.press("backspace", "u")
        assert screen.app.sheet == ScoreSheet()
        assert "nothing to undo" in screen.text

    run_score(act)


@pytest.mark.slow
def test_key_in_wrong_phase_is_refused():
    async def act(screen):
        for key in ("enter", "1", "t", "minus"):
            await screen.press(key)
            assert text(Message("cards.keys.poison")) in screen.text
        assert screen.app.entries == []
        await screen.press("h", "d", "3")
        assert text(Message("cards.keys.tricks", last=2)) in " ".join(screen.text.split())
        await screen.press("p", "h")
        assert text(Message("cards.keys.count", last=5)) in screen.text
        assert screen.app.entries == ["poison 1 h", "poison 2 d", "count"]

    run_score(act)


async def expect_keys(screen, *keys):
    """Wait until the footer shows these keys. It is laid out a little later than the page."""
    expected = [key_bar(key) for key in keys]
    for _ in range(50):
        found = [widget_text(key) for key in screen.app.query("FooterKey")]
        if found[: -len("u?q")] == expected:
            return
        await screen.settle()
    assert found[: -len("u?q")] == expected


@pytest.mark.slow
def test_footer_shows_working_keys():
    async def act(screen):
        await expect_keys(screen, "h d c card_suit", "s card_points")
        await screen.press("h", "d")
        await expect_keys(screen, "1-2 card_trick", "t card_trap", "p card_count", "s card_points")
        await screen.press("p")
        await expect_keys(screen, "1-5 card_kind", "s card_points", "Enter card_next")
        await screen.press("s")
        await expect_keys(screen, "Enter card_next", "Esc back")

    run_score(act)


@pytest.mark.slow
def test_round_points_can_be_typed():
    async def act(screen):
        await screen.press("s", "enter")
        assert text(Message("cards.keys.points")) in screen.text
        await screen.press("3", "5", "7", "9", "u", "enter", "minus", "2", "0")
        assert "-20_" in screen.text
        await screen.press("u", "u", "u", "u", "enter", "minus", "2", "0", "enter")
        assert screen.app.entries == ["points 35 -20"]
        assert screen.app.sheet.totals == (35, -20)
        assert screen.app.sheet.dealer == 1
        await screen.press("s", "1", "escape")
        assert screen.app.entries == ["points 35 -20"]
        await screen.press("h", "d", "1", "s", "5", "enter", "9", "enter")
        assert screen.app.sheet.totals == (40, -11)
        await screen.press("u", "u")
        assert screen.app.sheet.totals == (35, -20)

    run_score(act)


def test_wrong_card_total_is_reported():
    async def act(screen):
        await screen.press("p", "1", "enter", "2")
        assert "You have counted 2 cards, but 24, 26 or 28 were taken" in " ".join(screen.text.split())

    run_score(act, entries=("poison 1 h", "poison 2 d"))


@pytest.mark.slow
def test_board_presses_make_entries():
    made, fingers = board()

    async def act(screen):
        for cell in ("a1", "b4", "a2", "c3"):
            fingers.touch(cell)
            await screen.wait(0.1)
        assert screen.app.entries == ["poison 1 h", "poison 2 d", "trap", "trick 2"]
        await screen.press("b", "enter")  # the cursor is on b2, the first seat
        await screen.wait(0.1)
        assert screen.app.entries[-1] == "trick 1"
        await screen.press("escape", "p")
        fingers.touch("b2")  # undoes
        await screen.wait(0.1)
        assert screen.app.sheet.phase is SheetPhase.TRICKS
        assert any(made.frame.data)

    run_score(act, card_board=made)


@pytest.mark.slow
def test_four_seat_score_names_the_winner():
    entries = ["poison 1 h", "poison 2 d", "count", *["next"] * 4] * 3 + [
        "poison 1 h",
        "poison 2 d",
        "count",
        "add ace",
    ]

    async def act(screen):
        await screen.press(*["enter"] * 4)
        assert screen.app.sheet.phase is SheetPhase.OVER
        assert "The game goes to South and North." in screen.text

    run_score(act, entries=tuple(entries), rules=Rules(4), names=("", "", "", ""))


@pytest.mark.slow
def test_score_is_saved_while_entered(tmp_path):
    journal = OtherGameJournal(tmp_path)
    journal.begin_game({})

    async def act(screen):
        await screen.press("h", "d", "1", "u")
        assert read_other_games(tmp_path)[0][0].entries == ("poison 1 h", "poison 2 d")

    run_score(act, journal=journal)
    journal.close()


def test_continued_score_explains_new_command():
    async def act_on_new(screen):
        await screen.press("h")
        assert "--new" not in screen.text

    async def act_on_continued(screen):
        assert "pond cards score --new" in screen.text

    run_score(act_on_new)
    run_score(act_on_continued, entries=("poison 1 h",))


def test_save_failure_is_reported():
    journal = OtherGameJournal(None)
    journal.trouble = Message("saving.disk_full")

    async def act(screen):
        assert get_catalogue().text(Message("saving.disk_full"))[:20] in screen.text

    run_score(act, journal=journal)


@pytest.mark.slow
def test_random_keys_do_not_crash():
    rng = Random(1)
    keys = [*"hdc12345tpsub", "minus", "enter", "escape", "question_mark"]
    made, _ = board()

    async def score(screen):
        await screen.press(*rng.choices(keys, k=150))

    async def play(screen):
        more = [*keys, "left", "right", "n", "home"]
        for key in rng.choices(more, k=150):
            await screen.press(key)
            await screen.wait(1.0)

    run_score(score, card_board=made)
    run_play(play, card_board=made)
