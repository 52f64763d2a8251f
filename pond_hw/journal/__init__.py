"""What was acknowledged is on the card; a game is a fold of it over the rules.

`story` is pure, `store` is one file, `folder` the files together, `keeper` writes them while the loop goes on.
"""

from pond_hw.journal.events import Entry, Story, StoryFault, entries, retold
from pond_hw.journal.store import Kept, Label, Noted
from pond_hw.journal.writer import AGAIN_SECONDS, Journal, Labels, RealLabels, Written

__all__ = [
    "AGAIN_SECONDS",
    "Entry",
    "Journal",
    "Kept",
    "Label",
    "Labels",
    "Noted",
    "RealLabels",
    "Story",
    "StoryFault",
    "Written",
    "entries",
    "retold",
]
