"""Drawings of wires that are soldered: those to the keys and the buzzer, and those of a NeoTrellis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pond_hw.fabrication.cables import Cable
from pond_hw.fabrication.drawing_sheet import BLUE, INK, LETTER, MIN_LETTER, PALE, RED, SHEET_WIDTH, Sheet
from pond_hw.fabrication.netlist import CircuitPart, Netlist, PartPin
from pond_hw.fabrication.solids import sizes as s
from pond_hw.fabrication.solids.layout import FlatPoint
from pond_hw.profile.board_profile import Profile, name_turn_key

# --- panel: keys and buzzer ---


def draw_panel(profile: Profile, netlist: Netlist, cables: Sequence[Cable]) -> Sheet:
    sheet = Sheet(
        f"{profile.name}: keys and buzzer",
        "Each cable has a plug at the carrier board. At its other end, solder each wire as shown.",
    )
    top = sheet.top + 4
    for cable in cables:
        top = _draw_panel_cable(sheet, top, profile, netlist, cable) + 8
    return sheet


PANEL_STEP = 6.0
"""Distance in mm between terminals in the drawing of a panel cable."""

PANEL_LEFT = 105.0
"""Place of the terminals in mm from the left edge of the sheet."""


def _draw_panel_cable(sheet: Sheet, top: float, profile: Profile, netlist: Netlist, cable: Cable) -> float:
    """Draw a cable from its plug on the left to its parts on the right, and return the lower edge."""
    title = f"{cable.connector}: {cable.name}, cable of {cable.length:g} mm"
    sheet.write(title, (0, top + 3), LETTER + 0.6, "start", is_bold=True)
    parts = [netlist.parts[ref] for ref in dict.fromkeys(end.part for wire in cable.wires for end in wire.end_pins)]
    parts.sort(key=lambda part: part.part_type == "lamp")
    links = [
        ends
        for ends in netlist.nets.values()
        if len(ends) > 1 and {end.part for end in ends} <= {part.ref for part in parts}
    ]
    used = {end for wire in cable.wires for end in wire.end_pins} | {end for ends in links for end in ends}
    cable = cable._replace(wires=tuple(sorted(cable.wires, key=lambda wire: int(wire.start_pin.pin))))
    terminals: dict[PartPin, FlatPoint] = {}
    y = top + 8
    for part in parts:
        y = _draw_panel_part(sheet, y, profile, part, used, terminals) + 2
    bottom, count = y - 2, len(cable.wires)
    first_y = _choose_first_y(top + 12, bottom, cable, terminals)
    sheet.box((37, first_y - 4), (45, first_y + (count - 1) * PANEL_STEP + 4), PALE, width=0.4)
    for index, wire in enumerate(cable.wires):
        start = (41.0, first_y + index * PANEL_STEP)
        colour = RED if wire.start_pin.pin == "1" else INK
        sheet.write(f"{wire.net}:", (29, start[1] + 1), LETTER, "end")
        sheet.write(wire.start_pin.pin, (34, start[1] + 1), LETTER, "end", colour, is_bold=True)
        ends = [terminals[end] for end in wire.end_pins]
        _draw_wire(sheet, start, ends, 54 + 6 * index, _wire_colour(wire.net))
        sheet.circle(start, 1.1, RED if wire.start_pin.pin == "1" else "#ffffff")
    for number, link in enumerate(links):
        _draw_wire(sheet, terminals[link[0]], [terminals[end] for end in link[1:]], 54 + 6 * (count + number), BLUE)
    return max(bottom, first_y + count * PANEL_STEP)


def _choose_first_y(top: float, bottom: float, cable: Cable, terminals: Mapping[PartPin, FlatPoint]) -> float:
    """Return the height of pin 1 at which the wires from the pins are clear of other wires to the terminals."""
    middle, count = (top + bottom) / 2 - 2, len(cable.wires)

    def clearance(first_y: float) -> float:
        gaps = (
            abs(first_y + index * PANEL_STEP - y)
            for index, wire in enumerate(cable.wires)
            for end, (_, y) in terminals.items()
            if end not in wire.end_pins
        )
        return min(min(gaps, default=2.0), 2.0)

    centred = middle - (count - 1) * PANEL_STEP / 2
    shifts = [0.5 * step for step in range(-16, 17)]
    return max(centred, top) + max(
        (shift for shift in shifts if max(centred, top) + shift >= top),
        key=lambda shift: (clearance(max(centred, top) + shift), -abs(shift)),
    )


def _wire_colour(net: str) -> str:
    return {"ground": INK, "5 V lamps": RED}.get(net, BLUE)


def _draw_wire(sheet: Sheet, start: FlatPoint, ends: Sequence[FlatPoint], lane: float, colour: str) -> None:
    """Draw a wire that branches in a vertical lane."""
    ys = [start[1], *(y for _, y in ends)]
    sheet.line((lane, min(ys)), (lane, max(ys)), colour=colour, width=0.6)
    for x, y in (start, *ends):
        sheet.line((x, y), (lane, y), colour=colour, width=0.6)
        if min(ys) < y < max(ys):
            sheet.dot((lane, y), 0.8, colour)


def _draw_panel_part(
    sheet: Sheet,
    top: float,
    profile: Profile,
    part: CircuitPart,
    used: set[PartPin],
    terminals: dict[PartPin, FlatPoint],
) -> float:
    """Draw a key, lamp or buzzer in half size, with its terminals larger; return its lower edge."""
    pins = sorted(part.pins.items(), key=lambda item: LAMP_PIN_ORDER.find(item[1].name))
    width = {"key": s.KEY_BODY[0], "turn key": s.TURN_KEY_HOLE, "buzzer": s.BUZZER_BODY[0]}.get(part.part_type, 10.0)
    height = max(len(pins) * PANEL_STEP, width / 2 + 2)
    middle = top + height / 2
    sheet.box((PANEL_LEFT + 4, top), (SHEET_WIDTH - 0.2, top + height))
    for number, (pin_number, pin) in enumerate(pins):
        y = middle + (number - (len(pins) - 1) / 2) * PANEL_STEP
        terminals[PartPin(part.ref, pin_number)] = (PANEL_LEFT, y)
        sheet.box((PANEL_LEFT, y - 1.2), (PANEL_LEFT + 4, y + 1.2), "#ffffff")
        if pin.name != pin_number:
            is_free = PartPin(part.ref, pin_number) not in used
            sheet.write(f"{pin.name}{' stays free' * is_free}", (PANEL_LEFT + 6, y + 1), LETTER, "start")
    x = SHEET_WIDTH - 10
    if part.part_type == "lamp":
        sheet.box((x - 2.5, middle - 2.5), (x + 2.5, middle + 2.5), "#fff6d0")
    else:
        sheet.circle((x, middle), width / 4, PALE)
    lines = _panel_text(profile, part)
    sheet.write(lines[0], (PANEL_LEFT + 18, middle + (1 if len(lines) == 1 else -0.6)), LETTER, "start", is_bold=True)
    if len(lines) > 1:
        sheet.write(lines[1], (PANEL_LEFT + 18, middle + 3), MIN_LETTER, "start")
    return top + height


LAMP_PIN_ORDER = "5 V GND DIN DOUT"
"""Order in which the terminals of a lamp are drawn."""


def _panel_text(profile: Profile, part: CircuitPart) -> tuple[str, ...]:
    if part.part_type == "lamp":
        sides = list(profile.turn_key_pins)
        side = sides[profile.chain.key_positions.index(int(part.ref.removeprefix("D")))]
        return (f"lamp in {_turn_key_name(name_turn_key(side))}",)
    if part.part_type == "turn key":
        return _turn_key_name(part.ref.removeprefix("SW_")), "either way round"
    return {"key": "undo key", "buzzer": "buzzer"}[part.part_type], "either way round"


def _turn_key_name(key_name: str) -> str:
    return {"key_light": "Light's turn key", "key_dark": "Dark's turn key"}.get(key_name, "the turn key")


# --- trellis: a NeoTrellis and the Pi ---


def draw_trellis(profile: Profile, netlist: Netlist, cable: Cable) -> Sheet:
    """Draw the header's pins next to the SD card, and the wires that start there."""
    sheet = Sheet(
        f"{profile.name}: wires from the Pi",
        "The end of the Pi's header next to the SD card, seen from above, and the parts that its pins lead to.",
    )
    joined = [(wire.start_pin, end) for wire in cable.wires for end in wire.end_pins if wire.start_pin.part == "J1"]
    wires = sorted(joined, key=lambda wire: -_trellis_lane(int(wire[0].pin)))
    columns = max(6, *((int(start.pin) + 1) // 2 for start, _ in wires))
    right, top, step = TRELLIS_RIGHT, sheet.top + 30, TRELLIS_STEP
    sheet.box((right - (columns + 1) * step, sheet.top + 6), (right + 14, top + 2.2 * step), "#ffffff", width=0.5)
    sheet.box((right + 6, sheet.top + 9), (right + 18, sheet.top + 22), PALE)
    sheet.write("SD card", (right + 19.5, sheet.top + 16.5), MIN_LETTER, "start")
    sheet.write("Raspberry Pi", (right - columns * step, sheet.top + 13), LETTER + 0.6, "start", is_bold=True)
    sheet.line((right - (columns + 1) * step, top - step / 2), (right + step / 2, top - step / 2))
    sheet.line((right + step / 2, top - step / 2), (right + step / 2, top + 1.5 * step))
    sheet.line((right + step / 2, top + 1.5 * step), (right - (columns + 1) * step, top + 1.5 * step))
    used = {int(start.pin) for start, _ in wires}
    board_top = top + 2.2 * step + 30
    ends = _draw_trellis_parts(sheet, board_top, netlist, [end for _, end in wires])
    for start, end in wires:
        number = int(start.pin)
        x, y = _trellis_pin(number)
        outside = (x, top + y + PIN_RADIUS) if y else (x - PIN_RADIUS, top + y)
        points = [outside, (right - _trellis_lane(number) * step, outside[1])]
        level = board_top - 8 - 3 * (len(wires) - 1 - wires.index((start, end)))
        points += [(points[-1][0], level), (ends[end][0], level), ends[end]]
        sheet.line(*points, colour=_trellis_colour(netlist.net_of(start) or ""), width=0.7)
    for number in range(1, 2 * columns + 1):
        x, y = _trellis_pin(number)
        sheet.circle((x, top + y), PIN_RADIUS, "#ffffff" if number in used else PALE, RED if number == 1 else INK, 0.4)
        sheet.write(str(number), (x, top + y + 0.95), MIN_LETTER, is_bold=number in used)
    sheet.write_lines(
        "The names are printed on the NeoTrellis. If they are in another order there, go by the names.\n"
        "Keys and buzzers have no direction: their two wires may be swapped.",
        (0, board_top + s.TRELLIS_SIDE + 6),
    )
    return sheet


TRELLIS_STEP, TRELLIS_RIGHT, PIN_RADIUS = 8.0, 146.0, 2.8
"""Distance in mm between the pins of the Pi's header in the drawing, place of pin 1, and radius of a pin."""


def _trellis_pin(number: int) -> FlatPoint:
    """Return the place of a pin of the header, relative to the upper row of pins. Odd pins are in that row."""
    column, row = divmod(number - 1, 2)
    return TRELLIS_RIGHT - column * TRELLIS_STEP, row * TRELLIS_STEP


def _trellis_lane(number: int) -> float:
    """Return where a pin's wire leaves the header, in columns: wires of the upper row pass between two of the lower row."""
    column, row = divmod(number - 1, 2)
    return column if row else column + 0.5


def _trellis_colour(net: str) -> str:
    return {"ground": INK, "5 V": RED}.get(net, BLUE)


def _draw_trellis_parts(
    sheet: Sheet, top: float, netlist: Netlist, ends: Sequence[PartPin]
) -> dict[PartPin, FlatPoint]:
    """Draw the parts that are wired to the Pi, with the names of their terminals, and return the places of these."""
    places: dict[PartPin, FlatPoint] = {}
    x = 0.3
    names = {"trellis": "NeoTrellis, from behind", "key": "undo key", "buzzer": "buzzer", "turn key": "turn key"}
    for ref in sorted({end.part for end in ends}, key=lambda ref: netlist.parts[ref].part_type == "trellis"):
        part = netlist.parts[ref]
        own = [end for end in ends if end.part == ref]
        side = s.TRELLIS_SIDE if part.part_type == "trellis" else 26.0
        depth = s.TRELLIS_SIDE if part.part_type == "trellis" else 26.0
        sheet.box((x, top), (x + side, top + depth), "#ffffff", width=0.5)
        for index, end in enumerate(own):
            place = x + (index + 0.5) * side / len(own), top + 5
            sheet.circle(place, 1.2, "#ffffff")
            pin = netlist.pin_at(end)
            if pin.name != end.pin:
                sheet.write(pin.name, (place[0], top + 10.5), LETTER, is_bold=True)
            places[end] = place[0], place[1] - 1.2
        sheet.write(names[part.part_type], (x + side / 2, top + depth / 2 + 3), LETTER, is_bold=True)
        x += side + 22
    return places
