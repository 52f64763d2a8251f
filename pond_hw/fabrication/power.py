"""Power budget and voltage drops of a board. Each line states its formula and source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pond_hw.board import Frame
from pond_hw.fabrication.cables import CABLE_OHMS_PER_METRE, CONTACT_OHMS, Cable, fuse_current
from pond_hw.fabrication.circuit import FUSE_OPENING_FACTOR
from pond_hw.fabrication.guide_pages import PAGE_SECTIONS, choose_lines, format_rows
from pond_hw.fabrication.netlist import Netlist, PinKind
from pond_hw.fabrication.part_catalogue import MAX_LAMP_CURRENT_MA, MAX_RAIL_CURRENT_MA
from pond_hw.lights import FRAME_SECONDS, render_scene
from pond_hw.lights.current_limiter import profile_limiter
from pond_hw.profile import pi_header, pico_header
from pond_hw.profile.board_profile import Profile, TrellisWiring
from pond_hw.profile.chips import CONVERTER_PARTS, EXPANDER_PARTS
from pond_hw.profile.row_boards import CELL_PITCH_MM, LAMPS_PER_CELL
from pond_hw.rules import Position, find_outcome, legal_actions, parse_variant, play
from pond_hw.session import Session

CHIP_CURRENTS = {
    "hall": ("hall sensors", 2.7),
    "linear hall": ("hall sensors", 6.0),
    **{part_type: (chip.title, None) for part_type, chip in (EXPANDER_PARTS | CONVERTER_PARTS).items()},
}
"""Parts powered from the header's 3.3 V, with their typical current in mA (DRV5033 and DRV5055 data sheets)."""

SHEET_OHMS = 0.0172e-6 / 35e-6
"""Resistance in Ω of a square of copper 35 µm thick."""

ROW_TRACK_WIDTH = 2.0e-3
"""Width in m of the rails on a row board: 5 V and ground along its far edge, and both along its near edge."""

FUSE_COLD_OHMS = {
    0.5: 0.37,
    0.63: 0.275,
    0.8: 0.165,
    1.0: 0.117,
    1.25: 0.081,
    1.6: 0.055,
    2.0: 0.044,
    2.5: 0.03,
    3.15: 0.022,
    4.0: 0.017,
    5.0: 0.011,
    6.3: 0.008,
}
"""Resistance in Ω of a cold fuse by its rating in A (Littelfuse, 213 series, 5 × 20 mm, time-lag)."""

FUSE_WARMTH = 2.0
"""Resistance of a fuse at its rated current, as a multiple of that when cold. The maximum voltage drop of similar fuses is
140 mV at 3.15 A (Schurter, SPT 5 × 20): twice as much as that of a cold one.
"""

CUT_OFF_OHMS = 0.015
"""Maximum resistance in Ω of the cut-off transistor, with 4.5 V at its gate (Diodes Incorporated, DMP4015SK3)."""

INDICATOR_CURRENT_MA = 1.4
"""Current of the power lamp in mA: 3 V across 2.2 kΩ."""

MIN_SHIFTER_VOLTS = 4.5
"""Minimum supply voltage of the level shifter (TI, SN74AHCT125)."""

START_VOLTS = (("a weak supply", 4.4), ("a good supply", 5.0))
"""Voltage at the board's socket. USB allows a port to give only 4.40 V (USB 2.0, 7.2.2)."""

MIN_LAMP_VOLTS = 4.5
"""Minimum supply voltage of the lamps; our choice. A WS2812B works from 3.5 V, but its blue fades below 4.5 V."""

SUPPLY_ADVICE = {
    "own": "Choose one that gives 5 V or more at the full current.",
    "pi": "The supplies that Raspberry Pi sells give 5.1 V.",
    "usb": "Use a port of the computer itself, and a short cable.",
}
"""Advice by the source of the lamps' supply."""

PICTURE_SECONDS = 8.0
"""Seconds over which the lamp current is averaged: longer than any breathing or blinking cycle."""

TYPICAL_TURNS = 16
"""Number of turns played to reach the position for which the typical current is calculated."""


def format_power(profile: Profile, netlist: Netlist, cables: Sequence[Cable]) -> str:
    chain, has_lamps = profile.chain, netlist.has_type("trellis", "lamp")
    lamp_current, logic_current, logic_typical = chain.budget_ma if has_lamps else 0.0, 0.0, 0.0
    words = {
        "profile": profile,
        "header": pi_header,
        "lamp": MAX_LAMP_CURRENT_MA,
        "lamps": lamp_current,
        "unlimited": chain.lamp_count * MAX_LAMP_CURRENT_MA,
        "turns": TYPICAL_TURNS,
        "half": pi_header.PI_CURRENT_MA / 2,
        "total": pi_header.PI_CURRENT_MA + lamp_current,
        "needed": lamp_current * 100 / pi_header.SUPPLY_LOAD_PERCENT,
        "rail": MAX_RAIL_CURRENT_MA,
        "pico": pico_header,
        "pico_half": pico_header.PICO_CURRENT_MA / 2,
        "pico_total": pico_header.PICO_CURRENT_MA + lamp_current,
    }
    rows = [PAGE_SECTIONS["lamp currents"].format(**words, typical=typical_lamp_current(profile))] if has_lamps else []
    for part_type, (consumer, typical_each) in CHIP_CURRENTS.items():
        if parts := list(netlist.parts_of_type(part_type)):
            fed_pins = [pin for part in parts for pin in part.pins.values() if pin.pin_kind is PinKind.FED]
            count, max_current = len(parts), sum(pin.max_current for pin in fed_pins)
            formula, source = f"{count} × {max_current / count:g}", "data sheet, maximum"
            if typical_each:
                formula, source = f"{count} × {typical_each:g}, {formula}", "data sheet, supply current"
            typical = count * typical_each if typical_each else max_current
            rows.append(format_rows([(consumer, f"{typical:.0f}", f"{max_current:.0f}", formula, source)]))
            logic_current, logic_typical = logic_current + max_current, logic_typical + typical
    rows.append(PAGE_SECTIONS[f"{profile.controller} current"].format(**words))
    words["logic"] = logic_current
    idle = profile_limiter(profile).idle if has_lamps else 0.0
    words["lamp_count"], words["idle"] = chain.lamp_count, idle
    words["dark"] = chain.lamp_count * idle + logic_typical + pico_header.PICO_CURRENT_MA / 2 + INDICATOR_CURRENT_MA
    words["lamp_farads"] = 0.1 * LAMPS_PER_CELL * profile.size**2
    load = "trellis" if isinstance(profile.sensing.wiring, TrellisWiring) else "chips"
    on_pico = " on a pico" if profile.controller == "pico" and profile.supply.source == "own" else ""
    supplies = choose_lines(PAGE_SECTIONS[f"supplies: {profile.supply.source}{on_pico}"], {load})
    page = PAGE_SECTIONS["power"].format(name=profile.name, rows="\n".join(rows), supplies=supplies.format(**words))
    if netlist.has_type("lamp"):
        page += "\n\n" + _format_voltage_drops(profile, netlist, cables)
    return page + "\n"


def typical_lamp_current(profile: Profile) -> float:
    """Return the lamps' typical mid-game current in mA, averaged over several seconds of frames."""
    chain, strip_length = profile.chain, len(profile.chain.strip_positions[0])
    key_count = len(chain.key_positions)
    position = Position.start(parse_variant({3: "3x3/9/5", 4: "standard", 5: "big"}[profile.size]))
    for turn in range(TYPICAL_TURNS):
        actions = legal_actions(position)
        if not actions or find_outcome(position):
            break
        position = play(position, actions[7 * turn % len(actions)]).after
    scene = replace(Session.start_game(position.variant, profile.size), custom_start=position).view.scene
    limiter, frame = (
        profile_limiter(profile),
        Frame.dark_frame(profile.size, chain.lamps_per_cell, strip_length, key_count),
    )
    total_current, frame_count = 0.0, round(PICTURE_SECONDS / FRAME_SECONDS)
    for frame_number in range(frame_count):
        picture = render_scene(scene, frame_number * FRAME_SECONDS, chain.lamps_per_cell, strip_length, key_count)
        frame = limiter.limit_frame(picture, frame)
        total_current += limiter.estimate_current(frame)
    undrawn_lamps = chain.lamp_count - len(chain.drawn_positions)
    return total_current / frame_count + undrawn_lamps * limiter.idle


def find_fuse_ohms(rating_ma: float) -> float:
    """Return the resistance in Ω of a warm fuse with this rating; of the nearest listed one if there is none."""
    rating = min(FUSE_COLD_OHMS, key=lambda listed: abs(listed - rating_ma / 1000))
    return FUSE_COLD_OHMS[rating] * FUSE_WARMTH


def _format_voltage_drops(profile: Profile, netlist: Netlist, cables: Sequence[Cable]) -> str:
    """Format the voltage left at the last lamp of a row, at the full current budget."""
    budget, lamp_count = profile.chain.budget_ma / 1000, profile.chain.lamp_count
    cable = next(cable for cable in cables if cable.is_row_cable)
    row_current = min(budget, profile.chain.lamps_per_cell * profile.size * MAX_LAMP_CURRENT_MA / 1000)
    rail_length = profile.size * CELL_PITCH_MM / 1000
    drops = {
        "the fuse": budget * find_fuse_ohms(fuse_current(netlist)),
        **({"the cut-off": budget * CUT_OFF_OHMS} if netlist.has_type("cut-off transistor") else {}),
        "the row's cable": row_current * 2 * (cable.length / 1000 * CABLE_OHMS_PER_METRE + 2 * CONTACT_OHMS),
        "the row board's tracks": 2 * row_current / 2 * rail_length * SHEET_OHMS / ROW_TRACK_WIDTH,
    }
    rows, weak_volts = [], math.inf
    for supply, start_volts in START_VOLTS:
        left_volts = start_volts
        for stage, drop in drops.items():
            left_volts -= drop
            rows.append((f"{supply}: {start_volts:g} V", stage, f"{1000 * drop:.0f}", f"{left_volts:.2f}"))
        weak_volts = min(weak_volts, left_volts)
    facts = {"enough" if weak_volts >= MIN_LAMP_VOLTS else "too-low", f"{profile.supply.source}-supply"}
    section = choose_lines(PAGE_SECTIONS["voltage"], facts)
    return section.format(
        fuse=netlist.parts["F1"].value,
        excess=lamp_count * MAX_LAMP_CURRENT_MA / fuse_current(netlist),
        short=FUSE_OPENING_FACTOR * fuse_current(netlist) / 1000,
        budget=f"{1000 * budget:g}",
        row=f"{1000 * row_current:g}",
        rows=format_rows(rows),
        volts=f"{weak_volts:.2f}",
        weak=START_VOLTS[0][1],
        shifter=MIN_SHIFTER_VOLTS,
        advice=SUPPLY_ADVICE[profile.supply.source],
        least=f"{MIN_LAMP_VOLTS:g}",
    )
