"""Footprints: pads, outline and silkscreen texts of a part."""

from __future__ import annotations

from typing import NamedTuple


class Pad(NamedTuple):
    """Pad of a part. Sizes are in mm.

    Attributes:
        number: pin of the part. Pads of alternative parts may share a number.
        x, y: position.
        size: diameter, or width of a rectangular pad.
        drill: diameter of the hole; 0 for a pad on the front only.
        height: height of a rectangular pad; 0 for a round one.
        slot: height of an oval hole; 0 for a round one.
    """

    number: str
    x: float
    y: float
    size: float = 1.6
    drill: float = 0.8
    height: float = 0.0
    slot: float = 0.0

    @property
    def half_size(self) -> tuple[float, float]:
        """Half its width and half its height."""
        return self.size / 2, (self.height or self.size) / 2


class Stub(NamedTuple):
    """Fixed track on the front, which leads from a pad. Positions and width are in mm."""

    number: str
    start: tuple[float, float]
    end: tuple[float, float]
    width: float


class SilkText(NamedTuple):
    """Silkscreen text. It is anchored at its middle or at one end. Sizes are in mm."""

    text: str
    x: float
    y: float
    angle: int = 0
    size: float = 0.8
    side: str = ""
    is_at_bottom: bool = False


class Footprint(NamedTuple):
    """Footprint of a part. Sizes are in mm.

    Attributes:
        name: KiCad's name.
        pads: the pads.
        outline: bounding box seen from above: left, top, right, bottom.
        texts: silkscreen texts: name, value, pin labels.
        is_round: True if the outline is a circle.
        lines: additional silkscreen lines, each with start and end.
        first_mark: position of the dot at the first pin; None if there is no dot.
        text_room: space for texts above and below the outline.
        origin: point that placement machines use as the reference; None for the middle of all pads.
        has_outline: False if the outline only encloses the part, and is not printed.
        is_at_bottom: True if the part's body is on the back of the board.
        stubs: fixed tracks.
    """

    name: str
    pads: tuple[Pad, ...]
    outline: tuple[float, float, float, float]
    texts: tuple[SilkText, ...]
    is_round: bool = False
    lines: tuple[tuple[float, float, float, float], ...] = ()
    first_mark: tuple[float, float] | None = None
    text_room: tuple[float, float] = (0, 0)
    origin: tuple[float, float] | None = None
    has_outline: bool = True
    is_at_bottom: bool = False
    stubs: tuple[Stub, ...] = ()

    @property
    def middle(self) -> tuple[float, float]:
        """Point that placement machines use as the reference."""
        if self.origin:
            return self.origin
        ends_x, ends_y = [pad.x for pad in self.pads], [pad.y for pad in self.pads]
        return round((min(ends_x) + max(ends_x)) / 2, 4), round((min(ends_y) + max(ends_y)) / 2, 4)

    def centred(self) -> Footprint:
        """Return the same footprint with its middle at 0, 0."""
        x, y = self.middle
        left, top, right, bottom = self.outline
        return self._replace(
            pads=tuple(pad._replace(x=round(pad.x - x, 4), y=round(pad.y - y, 4)) for pad in self.pads),
            outline=(left - x, top - y, right - x, bottom - y),
            texts=tuple(text._replace(x=text.x - x, y=text.y - y) for text in self.texts),
            lines=tuple((x0 - x, y0 - y, x1 - x, y1 - y) for x0, y0, x1, y1 in self.lines),
            first_mark=self.first_mark and (self.first_mark[0] - x, self.first_mark[1] - y),
            origin=self.origin and (0.0, 0.0),
        )

    def turned(self, quarters: int) -> Footprint:
        """Return the same footprint, turned counterclockwise by quarter turns."""
        footprint = self
        for _ in range(quarters % 4):
            footprint = footprint._turned_once()
        return footprint

    def _turned_once(self) -> Footprint:
        left, top, right, bottom = self.outline
        return self._replace(
            pads=tuple(_turn_pad(pad) for pad in self.pads),
            outline=(top, -right, bottom, -left),
            texts=tuple(_turn_text(text) for text in self.texts),
            lines=tuple((y0, -x0, y1, -x1) for x0, y0, x1, y1 in self.lines),
            first_mark=self.first_mark and (self.first_mark[1], -self.first_mark[0]),
            text_room=(0, 0),
            origin=self.origin and (self.origin[1], -self.origin[0]),
            stubs=tuple(
                stub._replace(start=(stub.start[1], -stub.start[0]), end=(stub.end[1], -stub.end[0]))
                for stub in self.stubs
            ),
        )


def _turn_pad(pad: Pad) -> Pad:
    width, height = (pad.height, pad.size) if pad.height else (pad.size, 0.0)
    drill, slot = (pad.slot, pad.drill) if pad.slot else (pad.drill, 0.0)
    return pad._replace(x=pad.y, y=-pad.x, size=width, height=height, drill=drill, slot=slot)


def _turn_text(text: SilkText) -> SilkText:
    """Turn a text counterclockwise, so that it never stands on its head."""
    if text.angle == 0:
        return text._replace(x=text.y, y=-text.x, angle=90)
    return text._replace(x=text.y, y=-text.x, angle=0, side={"left": "right", "right": "left"}.get(text.side, ""))
