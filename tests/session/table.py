"""Two people at a simulated table, so that tests can tell an afternoon in a few words."""

from pond_hw.board import Touch
from pond_hw.rules import STANDARD, Action, Position, Side, Variant, parse_variant
from pond_hw.session import Session, TakeAction
from tests.messages.says import text


class Table:
    """A session with hands: every press comes a second after the one before."""

    def __init__(self, pond: Variant | str = STANDARD, size: int | None = None):
        self.session = Session.start_game(parse_variant(pond) if isinstance(pond, str) else pond, size)
        self.time = 0.0

    def does(self, event, **fields):
        """Something happens a second later: an event's type, and what else it needs."""
        self.time += 1
        self.session = self.session.after(event(instant=self.time, **fields))
        assert text(*self.session.messages)  # whatever is said can be said
        return self.session

    def press(self, *cells):
        """Fingers come and go, one after the other."""
        for cell in cells:
            self.does(Touch, cell=cell, down=True)
            self.session = self.session.after(Touch(cell, False, self.time))
        return self.session

    def play(self, actions):
        """Actions by name, as a record writes them; every one of them must be legal."""
        for action in actions.split():
            turns = len(self.session.turns)
            self.does(TakeAction, action=Action.from_notation(action))
            assert len(self.session.turns) == turns + 1, (
                f"{action}: {text(*self.session.messages)}\n{self.session.position}"
            )
        return self.session


def rows(position: Position) -> str:
    """The board alone, as its line writes it."""
    return position.notation_line.split()[0]


def of_sides(game, setting):
    """The values of a setting of light and dark."""
    return tuple(game.find_value(setting, side) for side in Side)
