"""Help, head start and limit of hints are remembered by name, in a file beside the games.

{"form": 1, "players": {"ada": {"help": "none", "head_start": 2, "hint_limit": null}}}

When somebody of that name sits down again they come back. Of who gives no name nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pond_hw.companion.seats import PlayerPair, list_people_names
from pond_hw.engine import PlayerNames
from pond_hw.exercises import ProgressFile
from pond_hw.files import StateFile
from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session import MOST_HEAD_START, MOST_HINTS, HelpLevel, Session, SessionEvent, ShowNotice
from pond_hw.session.help_steps import find_side_help
from pond_hw.session.session_events import RecallHelp
from pond_hw.session.side_help import USUAL_HELP, SideHelp

FILE_NAME = "players.json"
FORM = 1
"""The form of the file; it counts up when something goes or changes its meaning."""

MAX_NAMES = 200
"""So many people are remembered; whoever changed nothing for longest is forgotten first."""


class HelpMemory:
    """What each side got when somebody of that name played it last.

    Args:
        folder: where games are kept; it need not be there yet. None: it is known until the program ends.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / FILE_NAME) if folder else None
        self._help_by_name: dict[str, SideHelp] = (self._file and self._file.read(_parse)) or {}
        self._fault: Message | None = self._file.fault if self._file else None
        self._seated: list[str | None] = [None, None]
        self._known: list[SideHelp | None] = [None, None]

    def follow_session(
        self, session: Session, players: PlayerPair, names: PlayerNames, now: float
    ) -> Iterator[SessionEvent]:
        """See who plays and what they get; remember it, or give them what is remembered.

        Args:
            session: the session.
            players: the programs that play light and dark; None: a person.
            names: what the people at light and dark are called; None: they have not said.
            now: the instant, in seconds.

        Yields:
            What is to be said or changed.
        """
        names = list_people_names(players, names)
        if session.trouble:  # then nothing that is yielded would be heard
            return
        if self._fault:
            fault, self._fault = self._fault, None
            yield ShowNotice((fault, *session.messages), now)
        for side in Side:
            name, side_help = names[side], find_side_help(session, side)
            key = name and name.casefold()
            if key != self._seated[side]:
                before, self._seated[side] = self._seated[side], key
                # What was set before somebody said their name is theirs; what another one had is not.
                recalled = self._help_by_name.get(key or "", USUAL_HELP if before else side_help)
                is_remembered = key in self._help_by_name
                self._known[side] = recalled if is_remembered or before else USUAL_HELP
                if recalled != side_help:
                    yield RecallHelp(side, recalled, now, name if is_remembered else None)
                    continue
            if key and side_help != self._known[side]:
                self._known[side] = side_help
                if not_kept := self._keep(key, side_help):
                    yield ShowNotice((not_kept, *session.messages), now)

    def _keep(self, name: str, side_help: SideHelp) -> Message | None:
        """Write down what somebody gets.

        Returns:
            Why that cannot be done, or None.
        """
        self._help_by_name.pop(name, None)
        if side_help != USUAL_HELP:
            self._help_by_name[name] = side_help
        for forgotten in list(self._help_by_name)[:-MAX_NAMES]:
            del self._help_by_name[forgotten]
        players = {
            each: {"help": level.value, "head_start": head_start, "hint_limit": hint_limit}
            for each, (level, head_start, hint_limit) in self._help_by_name.items()
        }
        return self._file.write({"form": FORM, "players": players}) if self._file else None


class KeptFiles(NamedTuple):
    """What is kept beside the games."""

    progress: ProgressFile
    help_memory: HelpMemory


def open_kept_files(folder: Path | None) -> KeptFiles:
    """What is kept in a state folder; None: nothing outlasts the program."""
    return KeptFiles(ProgressFile(folder), HelpMemory(folder))


def _parse(content: Any) -> dict[str, SideHelp]:
    if content["form"] != FORM:
        raise ValueError(content["form"])
    help_by_name = dict[str, SideHelp]()
    for name, fields in content["players"].items():
        head_start, hint_limit = fields["head_start"], fields["hint_limit"]
        if type(head_start) is not int or not 0 <= head_start <= MOST_HEAD_START:
            raise ValueError(head_start)
        if hint_limit is not None and (type(hint_limit) is not int or not 0 < hint_limit <= MOST_HINTS):
            raise ValueError(hint_limit)
        help_by_name[name] = SideHelp(HelpLevel(fields["help"]), head_start, hint_limit)
    return help_by_name
