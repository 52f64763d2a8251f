"""Step by step from a bag of parts to a proven board, with a check after each step; the words are in assembly.txt."""

from __future__ import annotations

from collections.abc import Iterator

from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.page_texts import NOT_BUILT, PAGE_SECTIONS, fill_lines, read_sections
from pond_hw.fabrication.wires import lamp_strips
from pond_hw.profile.board_profile import (
    AnalogWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    SimulatedWiring,
    TrellisWiring,
)

_SUPPLY_TEXTS = {
    "pi": "The lamps hang on the Pi's own 5 V pins, through the fuse.",
    "own": "The socket of the lamps' own supply sits in the left wall; it goes to the fuse and to ground, and "
    "**the Pi's ground is joined with it**; its 5 V is not. If the supply can be set, set it to 5.0 V before a "
    "lamp hangs on it.",
}


def format_assembly(profile: Profile, netlist: Netlist) -> str:
    """The guide of a board, as Markdown."""
    drawings = {
        "`cell.svg`": not isinstance(profile.sensing.wiring, SimulatedWiring),
        "`feed.svg`": netlist.has_type("lamp"),
    }
    drawn = ", ".join(name for name, is_drawn in drawings.items() if is_drawn)
    words = {"name": profile.name, "title": profile.title, "not_built": NOT_BUILT, "drawings": drawn}
    pages = [PAGE_SECTIONS["assembly"].format(**words)]
    steps = {heading.partition(": ")[0]: (heading, step) for heading, step in read_sections("assembly.txt").items()}
    words = _sensor_words(profile) | _lamp_words(profile, netlist) | _control_words(profile)
    for number, name in enumerate(_needed_steps(profile, netlist), 1):
        heading, step = steps[name]
        pages.append(f"## {number}. {heading.partition(': ')[2]}\n\n{step.format(**words)}")
    return "\n\n".join(fill_lines(paragraph) for page in pages for paragraph in page.split("\n\n")) + "\n\n"


def _needed_steps(profile: Profile, netlist: Netlist) -> Iterator[str]:
    """The names of the steps, in the order in which one can be checked after the other."""
    wiring, lamps = profile.sensing.wiring, netlist.has_type("lamp")
    is_trellis, is_matrix = isinstance(wiring, TrellisWiring), isinstance(wiring, MatrixWiring)
    order = {
        "pi": True,
        "trellis": is_trellis,
        "print": not is_trellis,
        "pieces": profile.sensing.kind == "hall",
        "strips": lamps,
        "strip board": lamps,
        "lamps": lamps,
        "expanders": isinstance(wiring, ExpanderWiring),
        "converters": isinstance(wiring, AnalogWiring),
        "halls": netlist.has_type("hall", "linear hall"),
        "matrix": is_matrix,
        "buttons": netlist.has_type("button") and not is_matrix,
        "beside": profile.key_pin is not None or profile.buzzer_pin is not None,
        "map": True,
        "sensors": True,
        "close": not is_trellis,
    }
    return (name for name, is_needed in order.items() if is_needed)


def _sensor_words(profile: Profile) -> dict[str, str]:
    """What stands in the place of `{word}` in the steps: of the board and its sensors."""
    halls, wiring = profile.sensing.kind == "hall", profile.sensing.wiring
    linear = isinstance(wiring, AnalogWiring)
    diameter, height = profile.body.magnet_size_mm
    exchanged = "two wires that were exchanged it names"
    if isinstance(wiring, MatrixWiring):
        exchanged = "two lines that were exchanged it names, and two cells too"
    return {
        "board": profile.name,
        "tiles": "each tile lies in its opening" if halls else "each cap goes down and comes up by itself",
        "layers": "tiles into the lid" if halls else "caps onto the switches",
        "magnet": f"{diameter:g} × {height:g}",
        "poles": ", and dark's pieces the other way than light's: set-up says which is which" if linear else "",
        "with_piece": ", or put a piece there" if halls else "",
        "calibrate": "`--step calibrate` measures rest and both poles. " if linear else "",
        "exchanged": exchanged,
    }


def _lamp_words(profile: Profile, netlist: Netlist) -> dict[str, str]:
    """Of the lamps and the strip board."""
    strips = lamp_strips(profile, netlist)
    lengths = set(map(len, strips))
    rails = netlist.parts["B1"].pins.values() if "B1" in netlist.parts else ()
    return {
        "count": str(len(strips)),
        "lengths": f"{lengths.pop()} lamps each" if len(lengths) == 1 else "as lamps run in `wiring.md`",
        "first": (strips[0][0].cell or "a score strip") if strips else "",
        "rails": ", ".join(pin.name for pin in rails),
        "chips": ", ".join(part.ref for part in netlist.parts_of_type("shifter", "expander", "converter")),
        "supply": _SUPPLY_TEXTS[profile.supply.source],
        "addresses": " and ".join(part.note for part in netlist.parts_of_type("expander", "trellis")),
    }


def _control_words(profile: Profile) -> dict[str, str]:
    """Of key and buzzer."""
    places, checks = [], []
    in_case = not isinstance(profile.sensing.wiring, TrellisWiring)
    if profile.key_pin is not None:
        places.append("the key into the front wall" if in_case else "the key")
        checks.append(f"`pond serve --board {profile.name}`: held down, the key opens the menu.")
    if profile.buzzer_pin is not None:
        places += ["the buzzer behind its seven holes there"] if in_case else []
        checks.append("Play a turn: the buzzer says that it counts.")
    return {"beside": " and ".join(places), "check": " ".join(checks)}
