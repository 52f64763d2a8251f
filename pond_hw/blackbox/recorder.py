"""Recorder for the sensors and lamps of a board. Errors while recording never affect the board."""

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
"""Seconds between writes to the file. If the program is killed, no more than this is lost."""


GZIP_WBITS = 31
"""Value of the zlib parameter `wbits` that selects the gzip format."""


class BlackBox:
    """Recording in progress. Thread-safe.

    If the disk is full, the recording ends with a single warning. If no events are recorded, the file is deleted.

    Args:
        path: path of the new file.
        command_name: name of the recorded command, such as `serve`.
        profile_name: name of the board profile, or "" if there is none.
        warn: called once if the recording ends early.
        today: returns the date for the header.

    Raises:
        PondError: if the file exists or can't be written.
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
        self._header_fields = command_name, profile_name, today().isoformat()
        self._lock = threading.Lock()
        self._codec, self._packer = NoteCodec(), zlib.compressobj(wbits=GZIP_WBITS)
        self._has_header = False  # True once the first line has been written.
        self._has_events = False  # True once there is a note other than `BoardOpened`.
        self._due = inf  # Time of the next flush, in seconds.
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
        """Record a note, unless the recording is closed. Notes before the first `BoardOpened` are ignored."""
        with self._lock:
            if self._file.closed or not (self._has_header or isinstance(note, BoardOpened)):
                return
            if not isinstance(note, BoardOpened):
                self._has_events = True
            elif not self._has_header:
                self._has_header = True
                box_header = BoxHeader(
                    __version__, *self._header_fields, note.size, note.lamps_per_cell, note.strip_lamps
                )
                self._write_bytes(f"{box_header.first_line}\n".encode())
            self._due = min(self._due, note.instant + FLUSH_SECONDS)
            self._write_bytes(self._packer.compress(f"{self._codec.encode_note(note)}\n".encode()))
        self.pass_time(note.instant)

    def pass_time(self, board_instant: float) -> None:
        """Write pending notes to the file if they are due at the given time on the board's clock."""
        with self._lock:
            if board_instant >= self._due and not self._file.closed:
                self._due = inf
                self._write_bytes(self._packer.flush(zlib.Z_SYNC_FLUSH))

    def close(self) -> None:
        """Complete the file. May be called more than once."""
        with self._lock:
            if self._file.closed:
                return
            if self._has_events:
                self._write_bytes(self._packer.flush())
            with suppress(OSError):
                self._file.close()
            if not self._has_events:
                self._path.unlink(missing_ok=True)

    def _write_bytes(self, written_bytes: bytes) -> None:
        """Write to the file. Stop recording if that fails."""
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
    """Wrap a board to record its sensor events and frames. If `black_box` is None, return the board unchanged.

    Call this before the board is opened.
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
        def record_and_forward(sensor_event: SensorEvent) -> None:
            self.black_box.record_note(sensor_event)
            put_event(sensor_event)

        lamps = self.lamps
        self.black_box.record_note(
            BoardOpened(self.size, lamps.lamps_per_cell, lamps.strip_lamps, self.now(), lamps.key_lamps)
        )
        self.inner_board.open(record_and_forward)


class _RecordedLamps:
    """Lamps that record each frame that differs from the previous frame."""

    def __init__(self, inner_lamps: Lamps, black_box: BlackBox, now: Callable[[], float]) -> None:
        self.size, self.lamps_per_cell, self.strip_lamps = (
            inner_lamps.size,
            inner_lamps.lamps_per_cell,
            inner_lamps.strip_lamps,
        )
        self.key_lamps = inner_lamps.key_lamps
        self._inner_lamps, self._box, self._now = inner_lamps, black_box, now
        self._shown = self._dark = Frame.dark_frame_of(self)
        self._trouble: Message | None = None

    def open(self) -> None:
        self._inner_lamps.open()

    def show(self, frame: Frame) -> None:
        """Show a frame and record it. If that fails, record the fault instead."""
        try:
            self._inner_lamps.show(frame)
        except BoardFault as fault:
            self._record_trouble(fault.message)
            raise
        self._record_trouble(None)
        self._record_frame(frame)

    def close(self) -> None:
        self._inner_lamps.close()
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
