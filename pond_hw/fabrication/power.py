"""What a board draws, and what of it is lost on the way: each line with its formula and the source of its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pond_hw.board import Frame
from pond_hw.fabrication import part_catalogue
from pond_hw.fabrication.circuit import LAMP_SUPPLY_NET
from pond_hw.fabrication.netlist import Netlist, PinKind
from pond_hw.fabrication.wires import OHMS_PER_METRE, CutWire, lamp_strips
from pond_hw.lights import FRAME_SECONDS, render_scene
from pond_hw.lights.lamp_limits import profile_limiter
from pond_hw.profile import pi_header
from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.rules import Position, find_outcome, legal_actions, parse_variant, play
from pond_hw.session import Session

TYPICAL_HALL = {"hall": 2.7, "linear hall": 6.0}
"""mA of a sensor, typical: the data sheets of DRV5033 and DRV5055."""

TRACK_OHMS = 0.0172e-6 / (3e-3 * 35e-6)
"""Ω of a metre of a strip's track: copper, 3 mm wide and 35 µm thick. An assumption: strips differ, and few say it."""

LEAST_VOLTS = 4.5
"""V that lamps are to get at least. A WS2812B works from 3.5 on; its blue grows pale before that. Our choice."""

PICTURE_SECONDS = 8.0
"""Over how long the current of a picture is averaged: whatever breathes or blinks has gone round by then."""

TYPICAL_TURNS = 16
"""After so many turns of a game the typical picture is taken."""


_FEED_TEXT = """
The fuse is {fuse}: the smallest of those that are sold which carries {budget} mA all the time at three quarters of what
it is rated for. The wires to the lamps bear all that the fuse lets through.

## Voltage along the chain

While all lamps together draw the budget, evenly shared. Red and black join the left ends of all pieces of strip, one
after the other, so the tracks of each carry its own current only. What is lost on the way back counts too.

- wire: current × length × Ω/m, there and back; copper at 20 °C, by the definition of AWG
- track: half the current of the piece × length × {track} Ω/m, there and back, since lamps take it along the way; a
  track 3 mm wide and 35 µm thick is assumed: strips differ, and few tell

| piece | lamps | wire, mm | AWG | current there, mA | lost in the wire, mV | in the strip, mV | left, V |
|---|---|---|---|---|---|---|---|
"""


class CurrentLine(NamedTuple):
    """One current, in mA.

    Attributes:
        consumer: whose.
        typical_current, max_current: what it comes to, mostly and at most; most is what the limiter allows, where it has a say.
        formula: the formula with its numbers.
        source: where the figures come from.
    """

    consumer: str
    typical_current: float
    max_current: float
    formula: str
    source: str


def format_power(profile: Profile, netlist: Netlist, cut: Sequence[CutWire]) -> str:
    """The power budget of a board, as Markdown."""
    lines = list(list_currents(profile, netlist))
    text = [
        f"# {profile.name}: power",
        "",
        "Calculated from the profile and from data sheets. Nothing here was measured on a board.",
        "",
        "| what | typical, mA | at most, mA | how | source |",
        "|---|---|---|---|---|",
        *(
            f"| {line.consumer} | {line.typical_current:.0f} | {line.max_current:.0f} | {line.formula} | {line.source} |"
            for line in lines
        ),
        "",
        *_format_supplies(profile, lines),
    ]
    if any(netlist.parts_of_type("lamp")):
        text += ["", *_format_voltage_drops(profile, netlist, cut)]
    return "\n".join(text) + "\n"


def list_currents(profile: Profile, netlist: Netlist) -> list[CurrentLine]:
    """What everything on a board draws."""
    chain, found = profile.chain, []
    if isinstance(profile.sensing.wiring, TrellisWiring) or any(netlist.parts_of_type("lamp")):
        unlimited = chain.lamp_count * part_catalogue.LAMP_MOST
        found.append(
            CurrentLine(
                "lamps, worst case: all white, no limiter",
                unlimited,
                unlimited,
                f"{chain.lamp_count} × {part_catalogue.LAMP_MOST:g}",
                "WS2812B: 20 for each of three colours. For comparison only: the program never asks for it",
            )
        )
        found.append(
            CurrentLine(
                "lamps, as they are driven",
                typical_lamp_current(profile),
                chain.budget_ma,
                f"typical: mean of the pictures of a game after {TYPICAL_TURNS} turns; at most: `budget_ma`",
                "the program's own limiter, whose model is 20 a colour and 1 at rest",
            )
        )
    for sort, typical in TYPICAL_HALL.items():
        if sensors := list(netlist.parts_of_type(sort)):
            most = sum(pin.max_current for part in sensors for pin in part.pins.values() if pin.pin_kind is PinKind.FED)
            how = f"{len(sensors)} × {typical:g}, {len(sensors)} × {most / len(sensors):g}"
            found.append(CurrentLine("hall sensors", len(sensors) * typical, most, how, "data sheet, supply current"))
    for sort, what in (("expander", "MCP23017"), ("converter", "MCP3008")):
        if chips := list(netlist.parts_of_type(sort)):
            most = sum(pin.max_current for part in chips for pin in part.pins.values() if pin.pin_kind is PinKind.FED)
            how = f"{len(chips)} × {most / len(chips):g}"
            found.append(CurrentLine(what, most, most, how, "data sheet, at most"))
    how = "typical: half of it; at most: half as much again as the hungriest draws bare"
    found.append(
        CurrentLine(
            "the Pi", pi_header.PI_CURRENT_MA / 2, pi_header.PI_CURRENT_MA, how, "Raspberry Pi's table of bare boards"
        )
    )
    return found


def typical_lamp_current(profile: Profile) -> float:
    """What the lamps draw while they show a game at its middle, in mA: the mean of some seconds of real pictures."""
    chain, strip = profile.chain, len(profile.chain.strip_positions[0])
    pond = {3: "3x3/9/5", 4: "standard", 5: "big"}[profile.size]
    position = Position.start(parse_variant(pond))
    for turn in range(TYPICAL_TURNS):
        actions = legal_actions(position)
        if not actions or find_outcome(position):
            break
        position = play(position, actions[7 * turn % len(actions)]).after
    scene = replace(Session.start_game(position.variant, profile.size), custom_start=position).view.scene
    limiter, frame = profile_limiter(profile), Frame.dark_frame(profile.size, chain.lamps_per_cell, strip)
    total, steps = 0.0, round(PICTURE_SECONDS / FRAME_SECONDS)
    for step in range(steps):
        frame = limiter.limit_frame(render_scene(scene, step * FRAME_SECONDS, chain.lamps_per_cell, strip), frame)
        total += limiter.estimate_current(frame)
    undrawn = chain.lamp_count - len(chain.cell_positions) - 2 * strip
    return total / steps + undrawn * limiter.idle


def _format_supplies(profile: Profile, lines: Sequence[CurrentLine]) -> list[str]:
    """What the supplies must give."""
    lamps = next((line.max_current for line in lines if line.consumer == "lamps, as they are driven"), 0.0)
    logic = sum(
        line.max_current for line in lines if not line.consumer.startswith("lamps") and line.consumer != "the Pi"
    )
    whom = "the NeoTrellis" if isinstance(profile.sensing.wiring, TrellisWiring) else "sensors and chips"
    logic = lamps if isinstance(profile.sensing.wiring, TrellisWiring) else logic
    told = [
        f"- **The header's 3.3 V** gives {whom} {logic:.0f} mA at most; boards may take {part_catalogue.RAIL_MOST:g}."
    ]
    if profile.supply.source == "pi":
        need = pi_header.PI_CURRENT_MA + lamps
        told.append(
            f"- **The Pi's supply**: {pi_header.PI_CURRENT_MA:g} + {lamps:g} = {need:g} mA; `current_ma` says "
            f"{profile.supply.current_ma:g}. Lamps on the header's 5 V pins may take {pi_header.HEADER_CURRENT_MA:g}."
        )
    else:
        least = lamps * 100 / pi_header.SUPPLY_LOAD_PERCENT
        told.append(f"- **The Pi's supply** feeds the Pi alone: {pi_header.PI_CURRENT_MA:g} mA.")
        told.append(
            f"- **The lamps' supply**: {lamps:g} mA, and no supply at more than {pi_header.SUPPLY_LOAD_PERCENT} %: "
            f"{least:g} mA or more; `current_ma` says {profile.supply.current_ma:g}."
        )
    return told


def _format_voltage_drops(profile: Profile, netlist: Netlist, cut: Sequence[CutWire]) -> list[str]:
    """What the lamps' voltage loses from the strip board to each piece of strip, while the budget flows."""
    strips = lamp_strips(profile, netlist)
    feeds = [
        wire for wire in cut if wire.net == LAMP_SUPPLY_NET and netlist.parts[wire.end_pin.part].part_type == "lamp"
    ]
    fuse = netlist.parts["F1"].value
    budget, count = profile.chain.budget_ma, profile.chain.lamp_count
    text = [_FEED_TEXT.format(fuse=fuse, budget=f"{budget:g}", track=f"{TRACK_OHMS:.3f}").strip()]
    lost, left = 0.0, float(count)
    for number, (wire, strip) in enumerate(zip(feeds, strips, strict=True), 1):
        current = budget * left / count
        in_wire = current * wire.length / 1000 * OHMS_PER_METRE[wire.gauge] * 2
        lost += in_wire
        length = len(strip) * profile.body.pitch_mm / 1000 / profile.chain.lamps_per_cell**0.5
        in_strip = budget * len(strip) / count * length * TRACK_OHMS
        volts = part_catalogue.LAMP_VOLTS - (lost + in_strip) / 1000
        figures = (len(strip), f"{wire.length:g}", wire.gauge, f"{current:.0f}", f"{in_wire:.1f}", f"{in_strip:.1f}")
        text.append(f"| {' | '.join(map(str, (number, *figures)))} | {volts:.2f} |")
        left -= len(strip)
    enough = "enough" if volts >= LEAST_VOLTS else "too little: feed the chain from its other end too"
    text += ["", f"At the end {volts:.2f} V are left, and lamps should have {LEAST_VOLTS:g}: {enough}."]
    return text
