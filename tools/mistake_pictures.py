"""Draw docs/pictures/mistake-*.svg: common mistakes, each beside its correct version (`make picture`)."""

from pathlib import Path

from pond_hw.fabrication.assembly_drawings import (
    PIN_STEP,
    View,
    draw_diode,
    draw_header,
    draw_row_connector,
    row_connector_box,
)
from pond_hw.fabrication.drawing_sheet import BLUE, INK, LETTER, MIDDLE_GREY, PALE, RED, Sheet
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import SolidLayout
from pond_hw.profile import load_profile

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"

HALF, TOP = 90.0, 9.0
"""Width of each half, and upper edge of the drawings, in mm."""

GREEN = "#1b7837"


def draw_rows(sheet: Sheet, left: float, is_right: bool) -> None:
    """Draw two row boards' connectors from below, and the cables to the carrier."""
    layout = SolidLayout(load_profile("direct-4x4"))
    rows = layout.cell_middles[1], layout.cell_middles[0]
    view = View((left - layout.half_size * 0.6 + 25, TOP + 2 + rows[0] * 0.6 + 10), 0.6, is_mirrored=True)
    numbers = (2, 1) if is_right else (1, 2)
    for row_y, number, connector in zip(rows, (2, 1), numbers, strict=True):
        draw_row_connector(sheet, view, layout, row_y)
        box = row_connector_box(layout, row_y)
        y = view.at(0, (box[1] + box[3]) / 2)[1]
        sheet.write(f"row {number}", (left + 6, y + 1), LETTER, is_bold=True)
        end_y = TOP + 12 if connector == 2 else TOP + 32
        sheet.cable((view.at(box[0], 0)[0], y), (left + 40, y), (left + 58, end_y), (left + 66, end_y))
    for name, y in (("J12", TOP + 12), ("J11", TOP + 32)):
        sheet.box((left + 66, y - 8), (left + 70, y + 8), PALE, width=0.4)
        sheet.dot((left + 68, y - 6.5), 0.7, RED)
        sheet.write(name, (left + 72, y + 1), LETTER, "start", is_bold=True)
    sheet.write("row boards from below", (left + 6, TOP + 45), LETTER, "start")
    sheet.write("carrier board", (left + 60, TOP + 45), LETTER, "start")


def draw_ribbon(sheet: Sheet, left: float, is_right: bool) -> None:
    """Draw the socket of the ribbon cable on the Pi's header."""
    view = View((left + 40, TOP + 12), 1.0)
    shift = 0 if is_right else -PIN_STEP
    x, half = left + 40 + shift, 10 * PIN_STEP
    for number in range(20):
        wire_x = x + (9.5 - number) * PIN_STEP
        sheet.line((wire_x, TOP + 15), (wire_x, TOP + 32), colour=RED if number == 0 else MIDDLE_GREY, width=0.9)
    draw_header(sheet, view)
    sheet.box((x - half - 1, TOP + 8), (x + half + 1, TOP + 16), "none", BLUE, width=0.7)
    sheet.write("pin 1", (left + 69, TOP + 11.5), LETTER, "start", RED, is_bold=True)
    sheet.write("wire 1", (left + 69, TOP + 28), LETTER, "start", RED, is_bold=True)
    sheet.write("the Pi's header, and the socket of the cable", (left, TOP + 4), LETTER, "start")


def draw_chip(sheet: Sheet, left: float, is_right: bool) -> None:
    """Draw a chip in its socket, with the notch at the top."""
    x, pins = left + 35, range(7)
    sheet.box((x - 7, TOP + 2), (x + 7, TOP + 30), "#ffffff", width=0.5)
    sheet.circle((x, TOP + 2), 1.6, "#ffffff")
    sheet.box((x - 4.5, TOP + 5), (x + 4.5, TOP + 28), "#666666")
    sheet.circle((x, TOP + 6.4 if is_right else TOP + 26.6), 1.1, "#ffffff")
    for i in pins:
        sheet.dot((x - 5.8, TOP + 7 + 3.2 * i), 0.6)
        sheet.dot((x + 5.8, TOP + 7 + 3.2 * i), 0.6)
    sheet.write("notch of the socket", (x + 10, TOP + 4), LETTER, "start")
    sheet.write("notch of the chip", (x + 10, TOP + (8.5 if is_right else 27.5)), LETTER, "start")


def draw_diodes(sheet: Sheet, left: float, is_right: bool) -> None:
    """Draw the middle of a cell with its switch and diode, twice as large."""
    view = View((left + 25, TOP + 15), 2.0)
    half = s.SWITCH_SIDE / 2
    sheet.box(view.at(-half, -half), view.at(half, half), PALE)
    sheet.circle(view.at(0, 0), 3.5)
    draw_diode(sheet, view, (8.33, 0), -1 if is_right else 1)
    sheet.write("switch", (left + 25, TOP + 26), LETTER)
    sheet.write("band", (left + 48, TOP + (18.5 if is_right else 13.5)), LETTER, "start")
    sheet.write("undo key's side", (left + 33, TOP + 33), LETTER)


def draw_lamps(sheet: Sheet, left: float, is_right: bool) -> None:
    """Draw a lamp with four legs that lies on a row board, twice as large. Its rim is flat on one side."""
    x, y = left + 30, TOP + 17
    sheet.box((left + 4, TOP + 2), (left + 82, TOP + 32), "#e6efe6")
    sheet.line((x + 20, y - 12), (x + 30, y - 12), colour=RED, width=0.8)
    sheet.write("printed line", (x + 32, y - 11), LETTER, "start", RED)
    for i in range(4):
        hole_y = y + 3.8 * (i - 1.5)
        sheet.line((x + 10, y + 2.6 * (i - 1.5)), (x + 25, hole_y), colour=MIDDLE_GREY, width=0.8)
        sheet.circle((x + 25, hole_y), 0.9, "#ffffff")
    sheet.box((x - 8, y - 5), (x + 8, y + 5), "#fff6d0")
    rim = (-5, 6) if is_right else (-6, 5)  # the side without the extra mm is flat
    sheet.box((x + 8, y + rim[0]), (x + 10, y + rim[1]), "#fff6d0")
    flat_y = y + (-5 if is_right else 5)
    sheet.line((x + 7.6, flat_y), (x + 10.4, flat_y), colour=RED, width=0.9)
    sheet.write("flat place", (x + 9, y + (-7 if is_right else 9.5)), LETTER, "middle", RED)


def draw_supply(sheet: Sheet, left: float, is_right: bool) -> None:
    """Draw the rating of a supply, and the reading of a multimeter at the test points."""
    rating, reading = ("5 V, 3 A", "5.1 V") if is_right else ("12 V, 2 A", "12.1 V")
    sheet.box((left, TOP + 4), (left + 30, TOP + 22), PALE, width=0.5)
    sheet.write("supply", (left + 15, TOP + 11), LETTER)
    sheet.write(rating, (left + 15, TOP + 17), LETTER, is_bold=True)
    for name, y, colour in (("5 V in", TOP + 8, RED), ("GND", TOP + 18, INK)):
        sheet.line((left + 31, y), (left + 62, y), colour=colour, width=0.7)
        sheet.circle((left + 40, y), 1, "#ffffff", colour)
        sheet.write(name, (left + 43, y - 1.6), LETTER, "start")
    sheet.box((left + 62, TOP + 4), (left + 84, TOP + 22), "#ffffff", width=0.5)
    sheet.write(reading, (left + 73, TOP + 14.5), LETTER + 1, is_bold=True)


def draw_magnets(sheet: Sheet, left: float, is_right: bool) -> None:
    """Draw two of Light's pieces from the side, each with its magnet."""
    for number, x in enumerate((left + 18, left + 58)):
        is_turned = number == 1 and not is_right
        sheet.polygon(
            [
                (x - 13, TOP + 24),
                (x + 13, TOP + 24),
                (x + 13, TOP + 10),
                (x + 8, TOP + 5),
                (x - 8, TOP + 5),
                (x - 13, TOP + 10),
            ]
        )
        for pole, y in (("S", TOP + 12), ("N", TOP + 17)) if not is_turned else (("N", TOP + 12), ("S", TOP + 17)):
            sheet.box((x - 6, y), (x + 6, y + 5), "#f6c9cf" if pole == "N" else "#d3e2f5")
            sheet.write(pole, (x, y + 3.6), LETTER, is_bold=True)
    sheet.line((left, TOP + 25.2), (left + 80, TOP + 25.2), width=0.5)
    words = "are alike" if is_right else "differ"
    sheet.write(f"two of Light's pieces: the poles below {words}", (left, TOP + 31), LETTER, "start")


PICTURES = {
    "rows": draw_rows,
    "ribbon": draw_ribbon,
    "chip": draw_chip,
    "diode": draw_diodes,
    "lamp": draw_lamps,
    "supply": draw_supply,
    "magnets": draw_magnets,
}


def draw(name: str) -> str:
    sheet = Sheet()
    for left, is_right in ((0.5, False), (HALF + 5, True)):
        word, colour = ("right", GREEN) if is_right else ("wrong", RED)
        sheet.write(word, (left, 5), 5, "start", colour, is_bold=True)
        PICTURES[name](sheet, left, is_right)
    return sheet.to_svg()


if __name__ == "__main__":
    for picture in PICTURES:
        (FOLDER / f"mistake-{picture}.svg").write_text(draw(picture), encoding="utf-8")
