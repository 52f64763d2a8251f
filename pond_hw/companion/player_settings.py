"""Help, head start and limit of hints are remembered by name, in a file beside the games.

{"form": 1, "players": {"ada": {SETTING: VALUE, ...}}, "unnamed": [..., ...]}

When somebody of that name sits down again they come back. What light and dark get without a name is kept as long as
their game is: it comes back if the program ends and the game is resumed, and is forgotten otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pond_hw.companion.players import list_people_names
from pond_hw.durable_files import StateFile
from pond_hw.engine import SeatedPlayers
from pond_hw.messages.message import Message
from pond_hw.rules import Side
from pond_hw.session import (
    DEFAULT_HELP,
    SIDE_SETTINGS,
    RecallHelp,
    Session,
    SessionEvent,
    ShowNotice,
    SideHelp,
    find_side_help,
)

FILE_NAME = "players.json"
SCHEMA_VERSION = 1
"""Version of the file; it counts up when a field goes or changes its meaning."""

MAX_NAMES = 200
"""So many people are remembered; whoever changed nothing for longest is forgotten first."""


class PlayerSettings:
    """What each side got when somebody of that name played it last.

    Args:
        folder: where games are kept; it need not be there yet. None: it is known until the program ends.

    Attributes:
        fault: why the file could not be read, and where it was put aside, or None.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / FILE_NAME) if folder else None
        remembered = self._file.read(_parse) if self._file else None
        self._help_by_name, self._unnamed_help = remembered or (dict[str, SideHelp](), [DEFAULT_HELP, DEFAULT_HELP])
        self._is_resumed = False
        self.fault: Message | None = self._file.fault if self._file else None
        self._untold_fault = self.fault
        self._set_names = set[str](), set[str]()  # what was set for light and dark while a game is offered
        self._seated: list[str | None] = [None, None]
        self._known: list[SideHelp | None] = [None, None]

    def recall_unnamed(self) -> None:
        """The game that was offered is resumed: sides without a name get what they had in it."""
        self._is_resumed = True

    def follow_session(self, session: Session, seated: SeatedPlayers, now: float) -> Iterator[SessionEvent]:
        """See who plays and what they get; remember it, or give them what is remembered.

        Args:
            session: the session.
            seated: the players of light and dark.
            now: the instant, in seconds.

        Yields:
            What is to be said or changed.
        """
        names = list_people_names(seated)
        if session.trouble:  # then nothing that is yielded would be heard
            return
        if self._untold_fault and not session.resume_prompt:  # a question is said alone
            fault, self._untold_fault = self._untold_fault, None
            yield ShowNotice((fault, *session.messages), now)
        game = session.exercise.paused if session.exercise else session
        for side in Side:
            name, side_help = names[side], find_side_help(session, side)
            key = name and name.casefold()
            if key != self._seated[side]:
                before, self._seated[side] = self._seated[side], key
                # What was set before somebody said their name is theirs; what another one had is not.
                recalled = self._help_by_name.get(key or "", DEFAULT_HELP if before else side_help)
                is_remembered = key in self._help_by_name
                self._known[side] = recalled if is_remembered or before else DEFAULT_HELP
                if recalled != side_help:
                    yield RecallHelp(side, recalled, now, name if is_remembered else None)
                    continue
            if game.resume_prompt and not key:
                side_help = self._set_in_offered_game(side, side_help)
            if side_help == (self._known if key else self._unnamed_help)[side]:
                continue
            if key:
                self._known[side] = side_help
                self._keep_named(key, side_help)
            elif self._is_resumed:
                yield RecallHelp(side, self._unnamed_help[side], now)
                continue
            elif game.resume_prompt or game.can_continue:
                self._unnamed_help[side] = side_help
            else:
                continue
            if not_kept := self._write():
                yield ShowNotice((not_kept, *session.messages), now)
        self._is_resumed = False

    def _set_in_offered_game(self, side: Side, side_help: SideHelp) -> SideHelp:
        """What a side had in the game that is offered, with what somebody has set since."""
        usual, now = DEFAULT_HELP._asdict(), side_help._asdict()
        self._set_names[side].update(name for name in usual if now[name] != usual[name])
        return self._unnamed_help[side]._replace(**{name: now[name] for name in self._set_names[side]})

    def _keep_named(self, name: str, side_help: SideHelp) -> None:
        """Remember what somebody gets."""
        self._help_by_name.pop(name, None)
        if side_help != DEFAULT_HELP:
            self._help_by_name[name] = side_help
        for forgotten in list(self._help_by_name)[:-MAX_NAMES]:
            del self._help_by_name[forgotten]

    def _write(self) -> Message | None:
        """Write down what everybody gets.

        Returns:
            Why that cannot be done, or None.
        """
        if not self._file:
            return None
        players = {name: _to_json(side_help) for name, side_help in self._help_by_name.items()}
        return self._file.write(
            {"form": SCHEMA_VERSION, "players": players, "unnamed": list(map(_to_json, self._unnamed_help))}
        )


def _to_json(side_help: SideHelp) -> dict[str, Any]:
    return side_help._asdict()


def _parse(content: Any) -> tuple[dict[str, SideHelp], list[SideHelp]]:
    if content["form"] != SCHEMA_VERSION:
        raise ValueError(content["form"])
    light, dark = map(_parse_side_help, content["unnamed"]) if "unnamed" in content else (DEFAULT_HELP, DEFAULT_HELP)
    return {name: _parse_side_help(fields) for name, fields in content["players"].items()}, [light, dark]


def _parse_side_help(fields: Any) -> SideHelp:
    side_help = DEFAULT_HELP
    for setting in SIDE_SETTINGS:
        side_help = side_help.with_value(setting, setting.find_value(fields[setting.name]))
    return side_help
