"""Player settings: help, head start and hint limit. They are saved by player name in a file beside the games.

    {"form": 1, "players": {"ada": {SETTING: VALUE, ...}}, "unnamed": [..., ...]}

Settings are restored when a player with the same name plays again. Settings of an unnamed player last as long as the
game, even if the program is restarted and the game is resumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
"""Version of the file format. Increased when a field is removed or changes its meaning."""

MAX_NAMES = 200
"""Maximum number of names in the file. When it is exceeded, the name that was changed least recently is dropped."""


class PlayerSettings:
    """Settings of all players.

    Args:
        folder: folder for saved games, which need not exist yet, or None to keep settings in memory only.

    Attributes:
        fault: message about a corrupt file that was renamed, or None.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / FILE_NAME, SCHEMA_VERSION) if folder else None
        remembered = self._file.read(_parse) if self._file else None
        self._named, self._unnamed = remembered or (dict[str, SideHelp](), [DEFAULT_HELP, DEFAULT_HELP])
        self._is_resumed = False
        self.fault: Message | None = self._file.fault if self._file else None
        self._unseen_fault = self.fault
        self._changed_fields = set[str](), set[str]()  # fields set for light and dark during a resume prompt
        self._seated: list[str | None] = [None, None]
        self._known: list[SideHelp | None] = [None, None]

    def restore_unnamed(self) -> None:
        """Restore the settings of unnamed players in the next `follow_session`, because their game is being resumed."""
        self._is_resumed = True

    def follow_session(self, session: Session, seated: SeatedPlayers, now: float) -> Iterator[SessionEvent]:
        """Save changed settings, and restore those of players who have just joined.

        Args:
            session: current session.
            seated: players of light and dark.
            now: current time in seconds.

        Yields:
            Events that restore settings or show notices about the file.
        """
        if session.trouble:  # the session refuses all events meanwhile
            return
        if self._unseen_fault and not session.resume_prompt:  # don't show a notice next to a prompt
            fault, self._unseen_fault = self._unseen_fault, None
            yield ShowNotice((fault, *session.messages), now)
        game = session.exercise.paused if session.exercise else session
        for side, name in zip(Side, seated.people_names, strict=True):
            side_help, key = find_side_help(session, side), name and name.casefold()
            if key != self._seated[side] and (recalled := self._assign_player(side, key, side_help)):
                yield RecallHelp(side, recalled, now, name if key in self._named else None)
                continue
            if game.resume_prompt and not key:
                side_help = self._settings_during_resume_prompt(side, side_help)
            if side_help == (self._known if key else self._unnamed)[side]:
                continue
            if not key and self._is_resumed:
                yield RecallHelp(side, self._unnamed[side], now)
                continue
            if key:
                self._known[side] = side_help
                self._save_named(key, side_help)
            elif game.resume_prompt or game.can_continue:
                self._unnamed[side] = side_help
            else:
                continue
            if write_fault := self._write():
                yield ShowNotice((write_fault, *session.messages), now)
        self._is_resumed = False

    def _assign_player(self, side: Side, key: str | None, side_help: SideHelp) -> SideHelp | None:
        """Assign a player to a side. Return the settings to restore, or None if the side already has them.

        Settings made before the player's name was known belong to the player. Those of a previous player do not.
        """
        before, self._seated[side] = self._seated[side], key
        recalled = self._named.get(key or "", DEFAULT_HELP if before else side_help)
        self._known[side] = recalled if key in self._named or before else DEFAULT_HELP
        return recalled if recalled != side_help else None

    def _settings_during_resume_prompt(self, side: Side, side_help: SideHelp) -> SideHelp:
        """Return the saved settings of an unnamed player, with the changes made since the resume prompt appeared."""
        defaults, now = DEFAULT_HELP._asdict(), side_help._asdict()
        self._changed_fields[side].update(name for name in defaults if now[name] != defaults[name])
        return self._unnamed[side]._replace(**{name: now[name] for name in self._changed_fields[side]})

    def _save_named(self, name: str, side_help: SideHelp) -> None:
        self._named.pop(name, None)
        if side_help != DEFAULT_HELP:
            self._named[name] = side_help
        for forgotten in list(self._named)[:-MAX_NAMES]:
            del self._named[forgotten]

    def _write(self) -> Message | None:
        """Write the file. Return the error, or None if there is none."""
        if not self._file:
            return None
        players = {name: _to_json(side_help) for name, side_help in self._named.items()}
        return self._file.write({"players": players, "unnamed": list(map(_to_json, self._unnamed))})


def _to_json(side_help: SideHelp) -> dict[str, Any]:
    return side_help._asdict()


def _parse(content: Any) -> tuple[dict[str, SideHelp], list[SideHelp]]:
    light, dark = map(_parse_side_help, content["unnamed"]) if "unnamed" in content else (DEFAULT_HELP, DEFAULT_HELP)
    return {name: _parse_side_help(fields) for name, fields in content["players"].items()}, [light, dark]


def _parse_side_help(fields: Any) -> SideHelp:
    side_help = DEFAULT_HELP
    for setting in SIDE_SETTINGS:
        side_help = side_help.with_value(setting, setting.find_value(fields[setting.name]))
    return side_help
