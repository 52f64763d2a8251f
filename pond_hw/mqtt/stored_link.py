"""Files of the linked game: the game with its secret key, and the settings of the broker."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from pond_hw.durable_files import MAX_STATE_BYTES, read_file, replace_file, sync_to_disk, try_lock
from pond_hw.journal.folder import program_state_folder
from pond_hw.link.invitation import Broker
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.mqtt.linked_home import LinkedHome

MAX_GAME_BYTES = 8 << 20
"""Maximum size of a stored game, above that of two versions with the maximum number of entries."""


class Login(NamedTuple):
    """User and password at a broker, and the certificate that its own is checked with, if they are needed."""

    user: str | None = None
    password: str | None = None
    ca_file: str | None = None


class StoredLink:
    """Folder with the files of the linked game. Only its owner can read it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or program_state_folder() / "link"
        self._game_path, self._settings_path = self.folder / "game", self.folder / "settings.json"

    @property
    def exists(self) -> bool:
        """True if a game is stored, even if its file is damaged."""
        return self._game_path.exists()

    def load(self) -> LinkedHome | None:
        """Return the stored game; None if there is none.

        Raises:
            PondError: the file can't be read, or it is damaged.
        """
        data = self._read(self._game_path, MAX_GAME_BYTES)
        return None if data is None else LinkedHome.from_bytes(data)

    def store(self, home: LinkedHome) -> None:
        """Write the game to disk.

        Raises:
            OSError: it has not been stored.
        """
        self._write(self._game_path, home.to_bytes())

    def forget(self) -> None:
        """Delete the game. The settings stay."""
        with suppress(FileNotFoundError):
            self._game_path.unlink()
        sync_to_disk(self.folder)

    def read_settings(self) -> dict[str, Any]:
        """Return the settings; an empty dictionary if there are none.

        Raises:
            PondError: the file can't be read, or it is damaged.
        """
        data = self._read(self._settings_path, MAX_STATE_BYTES)
        with explain_system_errors("file.cannot_read", file=str(self._settings_path)):
            settings = json.loads(b"{}" if data is None else data)
        return settings if isinstance(settings, dict) else {}

    def write_settings(self, settings: dict[str, Any]) -> None:
        """Write the settings to disk.

        Raises:
            OSError: they have not been stored.
        """
        self._write(self._settings_path, json.dumps(settings, indent=1).encode() + b"\n")

    def read_login(self, broker: Broker) -> Login:
        """Return the stored login at a broker; an empty one if there is none.

        Raises:
            PondError: the settings can't be read.
        """
        match self.read_settings().get(_name_login(broker)):
            case {
                "user": str() | None as user,
                "password": str() | None as password,
                "ca_file": str() | None as ca_file,
            }:
                return Login(user, password, ca_file)
        return Login()

    def write_login(self, broker: Broker, login: Login, certificate: bytes | None = None) -> None:
        """Store the login at a broker.

        Args:
            broker: the broker.
            login: user and password.
            certificate: content of the certificate file. A copy is stored, because the service can't read users' homes.

        Raises:
            OSError: it has not been stored.
        """
        if certificate is not None:
            path = self.folder / f"{broker.host}-{broker.port}.pem"
            self._write(path, certificate)
            login = login._replace(ca_file=str(path.absolute()))
        self.write_settings(self.read_settings() | {_name_login(broker): login._asdict()})

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from playing this game.

        Raises:
            PondError: one is playing it.
        """
        self._make_folder()
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try_lock(descriptor)
        except BlockingIOError as error:
            os.close(descriptor)
            raise PondError(Message("link.file.in_use")) from error
        try:
            yield
        finally:
            os.close(descriptor)

    @staticmethod
    def _read(path: Path, max_bytes: int) -> bytes | None:
        with explain_system_errors("file.cannot_read", file=str(path)):
            return read_file(path, max_bytes) if path.exists() else None

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)

    def _write(self, path: Path, data: bytes) -> None:
        self._make_folder()
        before = os.umask(0o077)
        try:
            replace_file(path, data)
        finally:
            os.umask(before)
        sync_to_disk(self.folder)


def _name_login(broker: Broker) -> str:
    """Return the key of a broker's login in the settings. A password is never sent to another broker."""
    return f"login {broker.host}:{broker.port}{' tls' if broker.has_tls else ''}"
