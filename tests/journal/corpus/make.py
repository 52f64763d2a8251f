"""Write the journals of the corpus in the current format:

    python -m tests.journal.corpus.make FOLDER

The folder of a released format, such as `format-1`, never changes. A new format gets a new folder.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from pond_hw.journal.database_file import log_path
from pond_hw.journal.store import read_stored_games
from pond_hw.rules import STANDARD, VARIANTS, Action, Position
from pond_hw.session import AgreeDraw, NewGame, RedoTurns, ResignGame, SetUpGame, TakeAction, UndoTurns
from tests.journal.journal_player import COMMON_FACTS, JournalPlayer, SimulatedStampSource

HAND_MADE = Position.from_notation(".t../..F./e..T/T... d 6 6 4 5")


class CorpusPlayer(JournalPlayer):
    """A player with a fixed sequence of games."""

    def __init__(self, folder, size):
        facts = {
            **COMMON_FACTS,
            "size": size,
            "built": None,
            "pieces": True,
            "program": "0.0.0",
            "tags": {"Event": "Regen ☔"},
        }
        pond = STANDARD if size == 4 else VARIANTS["big"]
        super().__init__(folder, stamp_source=SimulatedStampSource(wall=_wall), facts=facts, pond=pond)

    def play_turns(self, actions):
        self.apply(*(TakeAction(Action.from_notation(action), 0.0) for action in actions.split()))


def _wall(second):
    return f"20{second % 60 + 10}-01-01T00:00:{second % 60:02}+00:00"  # any year will do: the machine has no clock of its own


def afternoon(folder):
    """Play games with undone turns, an undone end, an abandoned game, and a custom start."""
    player = CorpusPlayer(folder, 4)
    player.play_turns("@a2 @c3 @a1 @a3 @b4 @d3 @c4 @b2 @c2 b2c2")
    player.apply(UndoTurns(0.0, 3), RedoTurns(0.0, 2), ResignGame(0.0), UndoTurns(0.0))
    player.play_turns("@d4")
    player.apply(ResignGame(0.0), NewGame(VARIANTS["mini"], 0.0))
    player.play_turns("@a2 @c3 @a1")
    player.journal.write_remark("The lamp of b2 is dark; „finster“.")
    player.apply(SetUpGame(HAND_MADE, 0.0))
    player.play_turns("@c2 @d4 @d1 @c1 @a3")
    player.apply(UndoTurns(0.0))
    return player


def large(folder):
    """Play on a 5x5 board up to an agreed draw."""
    player = CorpusPlayer(folder, 5)
    player.play_turns("@e1 @a3 @b4 @c5 @d1 @c3 @e4 @a2")
    player.apply(AgreeDraw(0.0))
    return player


def long(folder):
    """Play a game whose entries need more than one page."""
    player = CorpusPlayer(folder, 4)
    player.play_turns("@a2 @c3 @a1 @a3")
    for _ in range(40):
        player.apply(UndoTurns(0.0, 2), RedoTurns(0.0, 2))
    player.play_turns("@b4")
    return player


def short(folder):
    """Play three turns and take back the last."""
    player = CorpusPlayer(folder, 4)
    player.play_turns("@a2 @c3 @a1")
    player.apply(UndoTurns(0.0))
    return player


def make(to):
    """Write each journal to a folder of its own, with a list of its contents."""
    to.mkdir(parents=True, exist_ok=True)
    for name, made, killed in [
        ("afternoon", afternoon, False),
        ("large", large, False),
        ("long", long, False),
        ("killed", short, True),
    ]:
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder) / "journal-1.db"
            player = made(Path(folder))
            if not killed:
                player.journal.close()
            shutil.copyfile(written, to / f"{name}.db")
            if killed:
                shutil.copyfile(log_path(written), to / f"{name}.db-wal")
                player.journal.close()
            games = [_describe(saved) for saved in read_stored_games(written)]
        text = json.dumps(games, indent=1, ensure_ascii=False, sort_keys=True)
        (to / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _describe(saved):
    outcome = saved.projection.outcome
    return {
        "uid": saved.uid,
        "facts": saved.facts,
        "entries": [[str(noted.entry), *noted.timestamp] for noted in saved.entries],
        "position": str(saved.projection.position).splitlines(),
        "outcome": outcome and [None if outcome.winner is None else str(outcome.winner), outcome.reason.value],
        "open": saved.projection.can_continue,
        "undone": len(saved.projection.undone_turns),
    }


if __name__ == "__main__":
    make(Path(sys.argv[1]))
