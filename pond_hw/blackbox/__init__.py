"""Black box: a recording of sensor events and lamp frames that can be played back on another machine.

    record_board(board, box)  ->  notes  ->  NoteCodec  ->  lines  ->  BlackBox  ->  file  ->  read_box  ->  notes

The file format is described in docs/black-box.md.
"""

from pond_hw.blackbox.format import BoardOpened, BoxHeader, BoxNote, FrameShown, LampsHealth
from pond_hw.blackbox.reader import BoxContents, read_box
from pond_hw.blackbox.recorder import BlackBox, record_board

__all__ = [
    "BlackBox",
    "BoardOpened",
    "BoxContents",
    "BoxHeader",
    "BoxNote",
    "FrameShown",
    "LampsHealth",
    "read_box",
    "record_board",
]
