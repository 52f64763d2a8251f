"""The page for somebody who has never heard of Pond: the game, and how the lamps speak."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from math import isqrt
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static

from pond_hw.board import Frame
from pond_hw.lights import CurrentLimiter, render_scene
from pond_hw.rules import DARK, LIGHT, PIECES, Action, Cell, Piece, Position, Symbol, get_grid, parse_variant, play
from pond_hw.session import CellRole, CellView, Scene, ShownRefusal
from pond_hw.tui.dialogs import Dialog
from pond_hw.tui.lamp_grid import LampGrid
from pond_hw.tui.style import plate_colours

_GAME_TEXT = """\
[b]What Pond is[/b]

Two players, light and dark, raise frogs on a small pond. Whoever first brings home enough pieces of their own colour \
wins: ten on the standard pond.

Every piece grows in a circle, and never changes its owner. Its letter says what it is; light's letters are large, \
dark's are small:

    egg E e  →  tadpole T t  →  frog F f  →  and an egg again

Light begins. A turn is always three steps, in this order: act, grow, score.

[b]1. Act[/b]

You must do one of these, with a piece of your own:

[b]Place an egg[/b] from your spawn, the eggs beside the board, on any empty cell. Eggs stay where they lie.

[b]Move a tadpole[/b] one step: up, down, left or right, to an empty cell.

[b]Move a frog[/b] one or two steps in a straight line, to an empty cell. Going two, it may hop over a piece of either \
colour.

[b]2. Grow[/b]

Now every piece right beside the one that acted (up, down, left and right, not slantwise) takes one step in the \
circle, yours and the other player's alike. You cannot choose. The piece that acted stays as it is. Here light places \
an egg on b2:
"""

_SCORE_TEXT = """\
[b]3. Score[/b]

Three or more of the same kind in an unbroken line, across or down, are a set. It does not matter whose they are. All \
sets on the board leave it at once, and each piece is counted for its own owner, so your turn may score for the other \
player too. Here the frogs beside light's new egg become eggs, and two pieces score for light, one for dark:
"""

_END_TEXT = """\
Think before you slide a piece in between two of its kind: those two grow first, and the set is gone.

[b]The end[/b]

The game ends as soon as somebody has scored enough pieces. If both get there in the same turn, more pieces win, and \
equally many are a draw. Whoever must act and cannot, with no piece that can move and no egg or no room to place it, \
has lost. Two players may also agree to a draw; a program does when a position has come up three times.

"""

_BUTTONS_TEXT = """\
[b]Playing here[/b]

Press an empty cell to place an egg on it. Press a tadpole or frog of yours to choose it, then the cell it should go \
to; press it once more to let it go. Click with the mouse, or:

  arrows, a to e, 1 to 5   move the white frame to a cell
  Enter or Space           press the cell in the frame
  Esc                      let the chosen piece go
  u, r                     take a turn back, play it again; r at the end: a rematch
  h                        a hint: what to do, marked * *
  w                        what would come of acting in the frame; again: no more
  n                        a new game: another pond, another player
  x, t                     give up, agree to a draw
  p                        set up a position by hand
  Ctrl-P                   all of this in a list: type a word, press Enter
  ?, F1                    this page
  q                        leave, after a question
  Ctrl-C                   leave at once

[b]Hints, and looking ahead[/b]

Press h, and the board shows what it would do: two cells between * and * (one, for an egg), and words that tell what \
would grow and score. It goes away after a quarter of a minute, or when you do anything. Press w, and the same is \
told of whatever you are about to do: put the frame on a cell, and E>T is an egg that would become a tadpole; what \
would score stands between { and }. Nothing is done before you do it.

[b]A game that was not finished[/b]

Every turn is saved before it is shown. If a game ends in the middle, you are asked about it at the next start: \
continue, look at it, or begin a new one. On a real board, press a lit cell: a1 to continue, b1 to look, c1 for a new \
game. A game that you leave is kept.

[b]How the lamps speak[/b]
"""

_PIECES_TEXT = """\
[b]Playing here[/b]

The letter in the middle of a cell is what the lamps say: the game. The small one below it, on wood, is the piece that \
stands there. Look at both: whether they are of one mind is your business as much as the board's.

Click an empty cell: you put an egg there. Drag a piece, or click it and then the cell where it shall go; its way is \
lit. Click it back on its own cell, and nothing has happened. What you do counts when it has held still for a quarter \
of a second. Or, with keys:

  arrows, a to e, 1 to 5   move the white frame to a cell
  Enter or Space           take the piece in the frame, or put one there
  v, or a right click      turn the piece over to what the lamps show
  o                        lay aside what you hold; or take off the piece in the frame
  Esc                      put what you hold back where it came from
  g                        take a new egg in the hand; again: one of the other side
  s                        sweep: take everything off the board, into the hand
  u, r                     take a turn back, play it again; r at the end: a rematch
  h                        a hint: what to do, marked * *
  w                        what would come of acting in the frame; again: no more
  n                        a new game: another pond, another player
  x, t                     give up, agree to a draw
  y                        the board is right: let the game be as the board, if it ever was
  p                        set up a position by hand
  m                        do not ask the sensor in the frame any more, or ask it again
  Ctrl-P                   all of this in a list: type a word, press Enter
  ?, F1                    this page
  q                        leave, after a question
  Ctrl-C                   leave at once

[b]After a turn[/b]

Turn over the pieces that have grown, those between ( and ): a right click each, in any order. Take off those that \
have scored, between ^ and ^: drag them beside the board, or a right click. The other player may act meanwhile. If a \
program plays dark, you move its pieces too, as the lamps say: from ^ to v.

[b]Taking a turn back[/b]

Put the pieces back as they stood before it; their cells fill with light. If nothing moves for three seconds, the turn \
is taken back. Scored pieces are asked for. Or press u, and follow the lamps.

[b]Another game[/b]

Clear the board (s) and leave it empty for three seconds: the menu is lit. Put a piece on a lit cell, o or *, and take \
it off again: that pond begins. The words tell which cell is which. Or put the pieces back (Esc) to go on.

[b]Hints, and looking ahead[/b]

Press h, and the board shows what it would do: two cells between * and * (one, for an egg), and words that tell what \
would grow and score. It goes away after a quarter of a minute, or when you do anything. Press w, and the same is \
told of whatever you are about to do: put the frame on a cell, and E>T is an egg that would become a tadpole; what \
would score stands between { and }. Nothing is done before you do it.

[b]A game that was not finished[/b]

Every turn is saved before it is shown. If a game ends in the middle, you are asked about it at the next start: \
continue, look at it, or begin a new one. On a real board, touch a lit cell: a1 to continue, b1 to look, c1 for a new \
game. To touch, lift the piece there and put it back after half a second, or put one there and take it off again. A \
game that you leave is kept.

[b]When board and game differ[/b]

Nothing is guessed and nothing lost. The words say what is wrong, and the lamps show one step at a time: take the \
piece from ^, put it on v. A click on v puts what belongs there. If it is the game that is wrong, press y, or set up \
the position with p. If what is felt can mean two things, one of them is announced, between ? and ?, and counts when \
nothing has moved for three seconds; to say no, move a piece.

A sensor that flickers or sticks is not asked any more, and its cell stands between ~ and ~. If a piece is asked for \
that stands there already, or is to be taken off and has gone, nod twice: a nod is to lift a piece that may not move, \
and to put it back. If you have put a piece where nothing is felt, nod twice too: it is asked what was done, and a \
third nod says yes.

[b]How the lamps speak[/b]
"""

_SHAPE_TEXTS: Mapping[int, str] = {
    1: "Its rhythm is its kind: an egg is steady, a tadpole breathes slowly, a frog blinks twice with both eyes.",
    2: "Its shape is its kind: an egg is one lamp, a tadpole two on the slant, a frog all four.",
    3: "Its shape is its kind: an egg is a lump, a tadpole has a head and a tail, a frog a leg in every corner.",
}

_CELLS_TEXT = """\
Top row: light's egg, tadpole and frog.
Next row: dark's. The colour is the owner.

{shape}

Bottom row, from the left:
a chosen piece, flashing white, in \\[ ];
where it may go, a soft white blip, and +;
what was refused, red, between ! and !.\
"""

_LAMPS_TEXT = """\
Pieces of the side that is not to move are dimmer. Empty cells where an egg may be placed glow faintly, like a tide. A \
short white twinkle, and a line under the letter, show where the last turn's piece went. A hint is white that swells \
slowly, from corner to corner where there are corners. After a turn the pieces \
beside it change, and sets flash white and fade. A wave over the whole pond in the winner's colour tells that the game \
is over.
"""


class HelpScreen(Dialog[None]):
    """How Pond is played and how the lamps speak, with examples that the rules and the lamps themselves draw.

    Args:
        lamps: lamps in a cell, as on the board that is played on.
        now: the clock that the lamps of the example live by, in seconds.
        pieces: whether one plays with pieces there, and not with buttons.
        playing: what is told of keys, where nobody plays.
    """

    CSS = """
    HelpScreen { background: $background; }
    HelpScreen VerticalScroll { padding: 1 2 0 2; scrollbar-size-vertical: 1; }
    HelpScreen Static { max-width: 90; height: auto; }
    HelpScreen .turn { margin-bottom: 1; }
    HelpScreen Horizontal { height: auto; max-width: 90; margin-bottom: 1; }
    HelpScreen Horizontal Static { width: 1fr; padding: 0 0 0 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "page", "read on", key_display="Space"),
        Binding("escape,q,Q,h,H,question_mark,f1,enter", "dismiss", "back to the game", key_display="Esc"),
    ]

    def __init__(self, lamps: int, now: Callable[[], float], *, pieces: bool = False, playing: str = "") -> None:
        super().__init__()
        self._playing_text = playing or (_PIECES_TEXT if pieces else _BUTTONS_TEXT)
        self._lamps_per_cell = lamps
        self._now = now
        self._limiter = CurrentLimiter.for_lamps(9 * lamps)
        self._lamp_grid = LampGrid(3, lamps, self._limiter, pitch=10)
        self._lamp_frame = Frame.dark_frame(3, lamps)

    def compose(self) -> ComposeResult:
        """Words, drawn turns, and a board of nine cells that shows what lamps can say."""
        with VerticalScroll():
            yield Static(_GAME_TEXT)
            yield Static(drawn_turn(".e./..T/.F.", "@b2"), classes="turn")
            yield Static(_SCORE_TEXT)
            yield Static(drawn_turn("E../F.f/..t", "@b2"), classes="turn")
            yield Static(f"{_END_TEXT}{self._playing_text}")
            with Horizontal():
                yield self._lamp_grid
                yield Static(_CELLS_TEXT.format(shape=_SHAPE_TEXTS[min(3, isqrt(self._lamps_per_cell))]))
            yield Static(_LAMPS_TEXT)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one(VerticalScroll).focus()
        self.update_lamps()

    def update_lamps(self) -> None:
        """Show what the lamps of the example say now."""
        now = self._now()
        scene = _example_scene(now)
        self._lamp_frame = self._limiter.limit_frame(render_scene(scene, now, self._lamps_per_cell), self._lamp_frame)
        self._lamp_grid.show_frame(self._lamp_frame, scene, now)

    def action_page(self) -> None:
        """Scroll down by a page."""
        self.query_one(VerticalScroll).scroll_page_down(animate=False)


def _example_scene(now: float) -> Scene:
    """Nine cells: six kinds of piece, and what else a cell can be. The refusal comes back every four seconds."""
    sights = {
        cell: CellView(Piece(side, symbol))
        for row, side in zip("32", (LIGHT, DARK), strict=True)
        for cell, symbol in zip((f"a{row}", f"b{row}", f"c{row}"), Symbol, strict=True)
    }
    sights |= {
        "a1": CellView(Piece(LIGHT, Symbol.FROG), CellRole.CHOSEN),
        "b1": CellView(role=CellRole.TARGET),
        "c1": CellView(Piece(DARK, Symbol.EGG)),
    }
    return Scene(3, sights, None, None, ShownRefusal("c1", now // 4 * 4), None, 0.0)


def drawn_turn(rows: str, action: str) -> Content:
    """A turn of light on a pond of three rows, drawn step by step and side by side, as the rules play it."""
    letters = zip(chain.from_iterable(get_grid(3).rows), rows.replace("/", ""), strict=True)
    pieces = {cell: PIECES[letter] for cell, letter in letters if letter != "."}
    position = Position.from_pieces(parse_variant("3x3/9/9"), pieces, LIGHT, (9, 9), (0, 0))
    turn = play(position, Action.from_notation(action))
    acted = turn.pieces_after_develop | {d.cell: Piece(d.owner, d.old_symbol) for d in turn.developed_pieces}
    steps = [("before", position.pieces), ("act", acted), ("grow", turn.pieces_after_develop)]
    if turn.sets:
        steps.append(("score", turn.after.pieces))
    boards = [list(_board_lines(title, pieces)) for title, pieces in steps]
    return Content("\n").join(Content("   ").join(row) for row in zip(*boards, strict=True))


def _board_lines(title: str, pieces: Mapping[Cell, Piece]) -> Iterator[Content]:
    yield Content(f"    {title:<10}")
    for row in get_grid(3).rows:
        cells = (_format_cell(pieces.get(cell)) for cell in row)
        yield Content.assemble(f"  {row[0][1]} ", *cells, " ")
    yield Content(f"     {'  '.join('abc')}  ")


def _format_cell(piece: Piece | None) -> Content:
    if piece is None:
        return Content(" · ")
    ink, paper = plate_colours(piece.owner)
    return Content.assemble((f" {piece.notation_letter} ", f"bold {ink} on {paper}"))
