"""The black box: all that sensors said and lamps were told, in a file, so that it can be seen again elsewhere.

    recorded(board, box)  ->  notes  ->  Form  ->  lines  ->  BlackBox  ->  file  ->  read_box  ->  notes

docs/black-box.md tells the form of the file.
"""

from pond_hw.blackbox.format import Head, LampsSay, Note, Opened, Shown
from pond_hw.blackbox.reader import Box, read_box
from pond_hw.blackbox.recorder import BlackBox, recorded

__all__ = ["BlackBox", "Box", "Head", "LampsSay", "Note", "Opened", "Shown", "read_box", "recorded"]
