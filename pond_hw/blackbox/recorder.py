"""Records a board while people play on it or set it up. A recording that fails never disturbs the board."""

from __future__ import annotations

import logging
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from math import inf
from pathlib import Path

from pond_hw import __version__
from pond_hw.blackbox.format import BoardOpened, BoxHeader, BoxNote, FrameShown, LampsHealth, NoteCodec
from pond_hw.board import Board, BoardFault, Frame, Lamps, SampledSensors, SensorEvent
from pond_hw.messages.catalogue import to_english
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import describe_system_error

LOG = logging.getLogger("pond")

FLUSH_SECONDS = 1.0
"""Seconds between writes: a program that is killed loses no more."""


GZIP_WBITS = 31
"""Window size that makes zlib write a stream for gzip."""


class BlackBox:
    """Writes notes into a new file, from any thread.

    A full disk ends the recording with one warning, and nothing else. If no board is opened, the file is deleted.

    Args:
        path: where.
        command_name: what is recorded, such as `serve`.
        profile_name: the name of the board's profile; empty if it has none.
        warn: is called once if the recording ends too early.
        today: gives the day that the header names.

    Raises:
        PondError: there is such a file already, or it cannot be written.
    """

    def __init__(
        self,
        path: Path,
        command_name: str,
        profile_name: str = "",
        warn: Callable[[str], None] = LOG.warning,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._path, self._warn = path, warn
        self._says = command_name, profile_name, today().isoformat()
        self._lock = threading.Lock()
        self._form, self._packer = NoteCodec(), zlib.compressobj(wbits=GZIP_WBITS)
        self._headed = False  # whether the first line is written
        self._worth = False  # whether anything but that a board was opened is noted
        self._due = inf  # when what was noted is to be in the file, in seconds
        try:
            self._file = path.open("xb", buffering=0)
        except FileExistsError:
            raise PondError(Message("recording.exists", file=str(path))) from None
        except FileNotFoundError:
            raise PondError(Message("recording.no_folder", folder=str(path.parent))) from None
        except (OSError, ValueError) as error:
            reason = describe_system_error(error)
            raise PondError(Message("recording.unwritable", file=str(path), reason=reason)) from None

    def record_note(self, note: BoxNote) -> None:
        """Record a note, unless no board is open yet or the box is closed."""
        with self._lock:
            if self._file.closed or not (self._headed or isinstance(note, BoardOpened)):
                return
            if not isinstance(note, BoardOpened):
                self._worth = True
            elif not self._headed:
                self._headed = True
                box_header = BoxHeader(__version__, *self._says, note.size, note.lamps_per_cell, note.strip_lamps)
                self._write_bytes(f"{box_header.first_line}\n".encode())
            self._due = min(self._due, note.instant + FLUSH_SECONDS)
            self._write_bytes(self._packer.compress(f"{self._form.encode_note(note)}\n".encode()))
        self.pass_time(note.instant)

    def pass_time(self, board_instant: float) -> None:
        """Write notes that are old enough into the file, at this instant of the board's clock, in seconds."""
        with self._lock:
            if board_instant >= self._due and not self._file.closed:
                self._due = inf
                self._write_bytes(self._packer.flush(zlib.Z_SYNC_FLUSH))

    def close(self) -> None:
        """Complete the file. Closing twice is no fault."""
        with self._lock:
            if self._file.closed:
                return
            if self._worth:
                self._write_bytes(self._packer.flush())
            with suppress(OSError):
                self._file.close()
            if not self._worth:
                self._path.unlink(missing_ok=True)

    def _write_bytes(self, written_bytes: bytes) -> None:
        """Write bytes to the file; if that fails, stop recording."""
        try:
            while written_bytes and not self._file.closed:
                written_bytes = written_bytes[self._file.write(written_bytes) :]
        except OSError as error:
            with suppress(OSError):
                self._file.close()
            self._warn(
                to_english(Message("recording.stopped", file=str(self._path), reason=describe_system_error(error)))
            )


def record_board(board: Board, black_box: BlackBox | None, now: Callable[[], float]) -> Board:
    """Wrap a board to record everything that it senses and shows.

    Args:
        board: any board, not open yet.
        black_box: the recording; None for none, then the board itself is returned.
        now: the board's clock, in seconds.
    """
    if black_box is None:
        return board
    if isinstance(board.sensors, SampledSensors):
        board.sensors.sample_watchers.append(black_box.record_note)
    return _RecordedBoard(board.sensors, _RecordedLamps(board.lamps, black_box, now), board, black_box, now)


@dataclass(frozen=True, slots=True)
class _RecordedBoard(Board):
    inner_board: Board
    black_box: BlackBox
    now: Callable[[], float]

    def open(self, put_event: Callable[[SensorEvent], None]) -> None:
        """Open the board, and record every event before it is handed on."""

        def noted(sensor_event: SensorEvent) -> None:
            self.black_box.record_note(sensor_event)
            put_event(sensor_event)

        lamps = self.lamps
        self.black_box.record_note(
            BoardOpened(self.size, lamps.lamps_per_cell, lamps.strip_lamps, self.now(), lamps.key_lamps)
        )
        self.inner_board.open(noted)


class _RecordedLamps:
    """Lamps that record every frame that differs from the one before."""

    def __init__(self, within: Lamps, black_box: BlackBox, now: Callable[[], float]) -> None:
        self.size, self.lamps_per_cell, self.strip_lamps = within.size, within.lamps_per_cell, within.strip_lamps
        self.key_lamps = within.key_lamps
        self._within, self._box, self._now = within, black_box, now
        self._shown = self._dark = Frame.dark_frame_of(self)
        self._trouble: Message | None = None

    def open(self) -> None:
        """Open the lamps."""
        self._within.open()

    def show(self, frame: Frame) -> None:
        """Show a frame, and record it if that went well."""
        try:
            self._within.show(frame)
        except BoardFault as fault:
            self._record_trouble(fault.message)
            raise
        self._record_trouble(None)
        self._record_frame(frame)

    def close(self) -> None:
        """Close the lamps, which leaves them dark."""
        self._within.close()
        self._record_frame(self._dark)

    def _record_trouble(self, trouble: Message | None) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._box.record_note(LampsHealth(trouble, self._now()))

    def _record_frame(self, frame: Frame) -> None:
        board_instant = self._now()
        if frame != self._shown:
            self._shown = frame
            self._box.record_note(FrameShown(frame, board_instant))
        self._box.pass_time(board_instant)
