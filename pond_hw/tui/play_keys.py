"""The keys of `pond play`, and those of them for which there is room at the bottom of the window."""

from __future__ import annotations

from typing import cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from pond_hw.tui.cell_cursor import CURSOR_BINDINGS
from pond_hw.tui.hand_app import HandApp

PLAY_BINDINGS: list[BindingType] = [
    Binding("up", "go(0, 1)", "move", key_display="↑↓←→"),
    Binding("enter,space", "press", "press", key_display="Enter"),
    Binding("enter,space", "handle", "take/put", key_display="Enter"),
    Binding("v,V", "turn", "turn", tooltip="Turn over the piece in the frame"),
    Binding("o,O", "off", "off", tooltip="Take off the piece in the frame, or lay aside what you hold"),
    Binding("u,U", "undo", "undo", tooltip="Undo: take a turn back"),
    Binding("r,R", "redo", "redo", tooltip="Redo: play it again"),
    Binding("r,R", "rematch", "rematch", tooltip="Rematch: the same game again"),
    Binding("h,H,i,I", "hint", "hint", tooltip="Hint: what to do"),
    Binding("w,W,l,L", "preview", "what if", tooltip="What if: what would come of acting in the frame"),
    Binding("n,N", "new_game", "new", tooltip="New game: another pond, another player"),
    Binding("x,X", "resign", "resign", tooltip="Resign: give up"),
    Binding("t,T", "draw", "draw", tooltip="Draw: agree to one"),
    Binding("question_mark,f1", "help", "help", key_display="?", tooltip="Help: the rules, the keys, the lamps"),
    Binding("q,Q", "leave", "quit", tooltip="Quit"),
    Binding("ctrl+p", "commands", "all", key_display="^p"),
    Binding("ctrl+q", "leave", show=False, priority=True),
    Binding("escape", "let_go", show=False),
    Binding("g,G", "fetch", "fetch", tooltip="Fetch a new egg into the hand; again: one of the other side"),
    Binding("s,S", "sweep", "sweep", tooltip="Sweep: take everything off the board, into the hand"),
    Binding("y,Y", "board_is_right", "board right", tooltip="The board is right: make the game as the board is"),
    Binding("m,M", "mask", "mask", tooltip="Mask the sensor in the frame, or ask it again"),
    Binding("p,P", "set_up", "set up", tooltip="Set up a position by hand"),
    Binding("pageup", "words(-1)", show=False),
    Binding("pagedown", "words(1)", show=False),
    *CURSOR_BINDINGS,
]

RARE_ACTIONS = ("redo", "resign", "draw", "fetch", "sweep", "board_is_right", "mask", "set_up")
"""What has no place among the keys at the bottom; Ctrl-P lists it, and the help page."""

RARE_PIECE_ACTIONS = (*RARE_ACTIONS, "preview")
"""The same where there are pieces, which need more keys."""

UNUSED_WHEN_OVER = ("press", "hint", "preview")
"""Keys that make room for the rematch when a game is over."""


class KeyBar(Footer):
    """The keys; where they have no room, without the first, which people try anyway, and one that a drag does too."""

    def compose(self) -> ComposeResult:
        """One widget a key."""
        app = cast("HandApp", self.app)
        hidden_actions = RARE_PIECE_ACTIONS if app.has_pieces else RARE_ACTIONS
        if app.game_table.view.is_over:
            hidden_actions = (*hidden_actions, *UNUSED_WHEN_OVER)
        for key_number, key_widget in enumerate(super().compose()):
            if isinstance(key_widget, FooterKey) and key_widget.action in hidden_actions:
                continue
            least = not key_number or (isinstance(key_widget, FooterKey) and key_widget.action == "off")
            yield key_widget.add_class("least") if least else key_widget
