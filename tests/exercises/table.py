"""Simulated board with lessons, and a player who sees nothing but its lamps."""

from pond_hw.board import KeyEvent
from pond_hw.engine.hints import ImmediateAdviser
from pond_hw.rules import LIGHT, Action, find_outcome, legal_actions, play
from pond_hw.session import CellRole
from pond_hw.session.game.exercise_run import PAUSE_SECONDS
from pond_hw.simulator.board_with_pieces import PieceOptions
from tests.messages.says import text
from tests.table import Table

MOMENT = 0.6
"""Seconds until a sensor has settled and the lamps have changed."""


class LessonTable(Table):
    """Table with lessons and puzzles, and a player who follows the lamps."""

    def __init__(self, *, pieces=False, players=(None, None), **options):
        self.pieces = pieces
        adviser = ImmediateAdviser(max_nodes=2000)
        piece_options = PieceOptions(seed=1) if pieces else None
        super().__init__(
            light=players[0], dark=players[1], pieces=piece_options, adviser=adviser, has_courses=True, **options
        )
        self.wait(1.5)

    @property
    def run(self):
        return self.session.exercise

    @property
    def lesson(self):
        return self.run and self.run.exercise.name

    @property
    def done(self):
        return {name for course in self.session.courses for name in course.done_names}

    def wait(self, seconds=MOMENT):
        super().wait(seconds)
        assert text(*self.session.messages)  # every message has a text
        assert self.companion.barrier.failure_count == 0, self.companion.barrier.last_failure
        return self

    # Hand movements

    def press_undo_key(self, seconds=0.2):
        self.companion.put(KeyEvent(True, self.clock.now()))
        self.wait(seconds)
        self.companion.put(KeyEvent(False, self.clock.now()))
        return self.wait()

    def press(self, cell, seconds=0.2):
        """Press a button."""
        self.hands.press(cell)
        self.wait(seconds)
        self.hands.release(cell)
        return self.wait()

    def tap(self, cell):
        """Choose a cell with its button or a piece.

        With pieces, lift the cell's piece and put it back. On an empty cell, put a piece down and take it off again.
        """
        if not self.pieces:
            return self.press(cell)
        stands = cell in self.hands.occupied_cells
        for is_lifting in (stands, not stands):
            if is_lifting:
                self.take(cell) if not stands else self.hands.lift(cell)
            else:
                self.hands.drop(cell)
            self.wait(1.0)
        return self

    def take(self, cell):
        self.hands.lift(cell)
        self.hands.put_aside()

    def act(self, action):
        """Take an action with buttons or pieces."""
        source, target = action
        if not self.pieces:
            for cell in (source, target):
                if cell:
                    self.press(cell)
            return self
        if target in self.hands.occupied_cells:  # on a masked sensor
            self.take(target)
            self.wait(MOMENT)
        if source:
            self.hands.lift(source)
            self.wait(MOMENT)
            self.hands.drop(target)
        else:
            self.hands.drop(target, self.session.position.to_move)
        return self.wait()

    def clear(self):
        """Clear the board and leave it empty for a while."""
        for cell in sorted(self.hands.occupied_cells):
            self.take(cell)
        return self.wait(4.0)

    def follow_lamps(self):
        """With pieces, do what the lamps ask for until they ask for nothing more."""
        for _ in range(40):
            if not self.pieces or self._follow_lamps_once():
                return self
        raise AssertionError(f"the lamps ask without end:\n{self.session.view.cells}")

    def _follow_lamps_once(self):
        sights = self.session.view.cells
        by_role = {role: [cell for cell, sight in sights.items() if sight.role is role] for role in CellRole}
        if self.session.game_phase in ("exercise", "menu", "resume"):
            return True
        if off := [cell for cell in by_role[CellRole.TAKE_OFF] if cell in self.hands.occupied_cells]:
            self.take(off[0])
        elif put := by_role[CellRole.PUT]:
            self.hands.drop(put[0], sights[put[0]].piece.owner)
        elif flip := by_role[CellRole.FLIP]:
            self.hands.lift(flip[0])
            self.wait(0.5)
            self.hands.drop(flip[0])
        elif in_hand := [cell for cell in by_role[CellRole.CHOSEN] if cell not in self.hands.occupied_cells]:
            self.hands.drop(in_hand[0], self.session.position.to_move)
        elif by_role[CellRole.PENDING]:
            self.wait(3.5)
        else:
            return True
        self.wait()
        return False

    # Player who follows the lamps

    def begin(self, name=None):
        """Start a lesson from the menu, by default the next unfinished one."""
        self.open_menu()
        (cell,) = [cell for cell, choice in self.session.view.menu_choices.items() if choice.name == "lessons"]
        self.tap(cell)
        menu = self.session.view.menu_choices
        default = self.shown(CellRole.DEFAULT_CHOICE)
        cells = [cell for cell, choice in menu.items() if choice.name == name] if name else default
        self.tap(cells[0])
        return self.follow_lamps()

    def choose(self, *names):
        """Choose cells of the menu one after another."""
        for name in names:
            cell = next(cell for cell, choice in self.session.view.menu_choices.items() if choice.name == name)
            assert cell in self.shown(CellRole.CHOICE, CellRole.DEFAULT_CHOICE)
            self.tap(cell)
        return self

    def open_menu(self):
        if self.pieces:
            if not self.session.position.pieces:
                for cell in ("a1", "b1"):  # as in the manual: put two pieces on an empty board, and take them off
                    self.hands.drop(cell, LIGHT)
                    self.wait()
            self.clear()
        else:
            if not self.session.position.pieces:
                self.press("a1")
            placed = next(cell for cell, piece in self.session.position.pieces.items() if str(piece.symbol) == "egg")
            self.press(placed, 7.0)
        assert self.session.game_phase == "menu"
        return self

    def follow(self):
        """Do one thing that the lamps suggest in a lesson."""
        self.follow_lamps()
        run, position = self.run, self.session.position
        lit = self.shown(CellRole.HINT)
        if self.session.game_phase == "exercise":
            self.tap("a1" if run.is_done else "b1")
            return
        if self.session.exercise_due < float("inf"):
            self.wait(PAUSE_SECONDS)
            return
        if run.waits_for_undo:
            self.take_back()
        elif run.waits_for_hint:
            self.ask_hint(lit[0])
        elif (action := self._find_lit_action(position, lit)) is not None:
            self.act(action)
        elif run.step.turn_limit is None:
            self.play_on(position)
        else:  # if nothing is lit, do anything, and the lamps will help
            self.act(self._find_wrong_action(position))
        self.follow_lamps().wait(0.5)

    def take_back(self):
        if not self.pieces:
            self.press_undo_key()
            return
        last = self.session.turns[-1]
        if last.action.source:
            self.hands.lift(last.action.target)
            self.hands.drop(last.action.source)
        else:
            self.take(last.action.target)
        self.wait(4.0)

    def ask_hint(self, cell):
        if self.pieces:
            self.hands.lift(cell)
            self.wait(1.0)
            self.hands.drop(cell)
        else:
            self.hands.press(cell)
            self.wait(2.5)
            self.hands.release(cell)
        self.wait(1.0)

    def play_on(self, position):
        """Take the best action, looking one action ahead, if it is the player's turn."""
        if position.to_move is not self.run.learner:
            self.wait(2.0)
            return
        turns = [play(position, action) for action in legal_actions(position)]
        own = position.to_move
        self.act(
            max(turns, key=lambda turn: len(turn.scored_cells[own]) - len(turn.scored_cells[own.other_side])).action
        )

    def _find_lit_action(self, position, lit):
        """Return the action shown by lit cells: an egg, or a move."""
        for action in legal_actions(position):
            if action.source in lit and action.target in lit:
                return action
        empty = [cell for cell in lit if cell not in position.pieces]
        if empty:
            return Action(None, empty[0])
        movers = [action for action in legal_actions(position) if action.source in lit]
        return movers[-1] if movers else None

    def _find_wrong_action(self, position):
        goal = self.run.step.goal
        wrong = [action for action in legal_actions(position) if not goal.is_met_by(play(position, action))]
        return wrong[0] if wrong else legal_actions(position)[0]


def finish_lesson(table, name, most=60):
    """Follow the lamps until a lesson is complete."""
    for _ in range(most):
        if name in table.done:
            return
        assert table.lesson == name, table.lesson
        assert not (find_outcome(table.session.position) and table.session.game_phase == "act")
        table.follow()
    raise AssertionError(f"{name} is not done after {most} things to do:\n{table.session.position}\n{table.run.step}")
