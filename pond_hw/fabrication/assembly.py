"""Step by step from a bag of parts to a proven board, with a check after each step; the words are in assembly.txt."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.wires import lamp_strips
from pond_hw.profile.board_profile import (
    AnalogWiring,
    ExpanderWiring,
    MatrixWiring,
    Profile,
    SimulatedWiring,
    TrellisWiring,
)

NOT_BUILT = (
    "**Nobody has built this board by hand yet.** Everything here is calculated and checked by programs; no part was "
    "printed, and no wire soldered."
)
"""Stands at the head of everything that is made for a board, until somebody has."""

_INTRODUCTION = """\
# {name}: assembly

{title}.

{not_built}

You need what `parts.csv` lists, `wiring.md` with the colour and length of every wire, `wiring.svg`, {drawings}, and the
files in `stl/`. Tools, time and safety are in [hardware/README.md](../README.md).

Each step ends with a check. Mend what fails before the next step: it can only be in few places then. With a profile of
your own, give its path in the place of `{name}`.
"""

_STEPS_FILE = Path(__file__).with_name("assembly.txt")


def format_assembly(profile: Profile, netlist: Netlist) -> str:
    """The guide of a board, as Markdown."""
    drawn = {
        "`cell.svg`": not isinstance(profile.sensing.wiring, SimulatedWiring),
        "`feed.svg`": any(netlist.parts_of_type("lamp")),
    }
    drawings = ", ".join(name for name, there in drawn.items() if there)
    text = [_INTRODUCTION.format(name=profile.name, title=profile.title, not_built=NOT_BUILT, drawings=drawings)]
    steps, words = _read_steps(), _step_words(profile, netlist)
    for number, name in enumerate(_needed_steps(profile, netlist), 1):
        title, step = steps[name]
        text.append(f"## {number}. {title}\n\n{_fill_step(step, words)}\n")
    return "\n".join(_wrap_paragraph(paragraph) for paragraph in "\n".join(text).split("\n\n")) + "\n"


def _wrap_paragraph(paragraph: str) -> str:
    """A paragraph in lines that fit; followed by an empty one."""
    return textwrap.fill(" ".join(paragraph.split()), 116, break_long_words=False, break_on_hyphens=False) + "\n"


def _read_steps() -> dict[str, tuple[str, str]]:
    """The steps by name: title and text."""
    found = re.split(r"^== (.+): (.+)\n", _STEPS_FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {name: (title, step.strip()) for name, title, step in zip(found[::3], found[1::3], found[2::3], strict=True)}


def _fill_step(step: str, words: dict[str, str]) -> str:
    """A step with the words of this board in the place of `{word}`."""
    return re.sub(r"\{(\w+)\}", lambda match: words[match[1]], step)


def _needed_steps(profile: Profile, netlist: Netlist) -> Iterator[str]:
    """The names of the steps, in the order in which one can be checked after the other."""
    wiring, halls = profile.sensing.wiring, profile.sensing.kind == "hall"
    trellis, lamps = isinstance(wiring, TrellisWiring), any(netlist.parts_of_type("lamp"))
    order = {
        "pi": True,
        "trellis": trellis,
        "print": not trellis,
        "pieces": halls,
        "strips": lamps,
        "strip board": lamps,
        "lamps": lamps,
        "expanders": isinstance(wiring, ExpanderWiring),
        "converters": isinstance(wiring, AnalogWiring),
        "halls": any(netlist.parts_of_type("hall", "linear hall")),
        "matrix": isinstance(wiring, MatrixWiring),
        "buttons": any(netlist.parts_of_type("button")) and not isinstance(wiring, MatrixWiring),
        "beside": profile.key_pin is not None or profile.buzzer_pin is not None,
        "map": True,
        "sensors": True,
        "close": not trellis,
    }
    return (name for name, needed in order.items() if needed)


def _step_words(profile: Profile, netlist: Netlist) -> dict[str, str]:
    """What stands in the place of words in the steps."""
    wiring, halls = profile.sensing.wiring, profile.sensing.kind == "hall"
    linear = isinstance(wiring, AnalogWiring)
    strips = lamp_strips(profile, netlist)
    lengths = sorted(set(map(len, strips)), reverse=True)
    boxed = not isinstance(wiring, TrellisWiring)
    where = ("the key into the front wall", "the buzzer behind its seven holes there") if boxed else ("the key",)
    beside = [told for told, pin in zip(where, (profile.key_pin, profile.buzzer_pin), strict=False) if pin is not None]
    works = []
    if profile.key_pin is not None:
        works.append(f"`pond serve --board {profile.name}`: held down, the key opens the menu.")
    if profile.buzzer_pin is not None:
        works.append("Play a turn: the buzzer says that it counts.")
    fed = {
        "pi": "The lamps hang on the Pi's own 5 V pins, through the fuse.",
        "own": "The socket of the lamps' own supply sits in the left wall; it goes to the fuse and to ground, and "
        "**the Pi's ground is joined with it**; its 5 V is not. If the supply can be set, set it to 5.0 V before a "
        "lamp hangs on it.",
    }
    wide, high = profile.body.magnet_size_mm
    rails = netlist.parts["B1"].pins.values() if "B1" in netlist.parts else ()
    addresses = " and ".join(part.note for part in netlist.parts_of_type("expander", "trellis"))
    return {
        "board": profile.name,
        "tiles": "each tile lies in its opening" if halls else "each cap goes down and comes up by itself",
        "layers": "tiles into the lid" if halls else "caps onto the switches",
        "magnet": f"{wide:g} × {high:g}",
        "poles": ", and dark's pieces the other way than light's: set-up says which is which" if linear else "",
        "count": str(len(strips)),
        "lengths": f"{lengths[0]} lamps each" if len(lengths) == 1 else "as lamps run in `wiring.md`",
        "first": (strips[0][0].cell or "a score strip") if strips else "",
        "rails": ", ".join(pin.name for pin in rails),
        "chips": ", ".join(part.ref for part in netlist.parts_of_type("shifter", "expander", "converter")),
        "supply": fed[profile.supply.source],
        "addresses": addresses,
        "with_piece": ", or put a piece there" if halls else "",
        "calibrate": "`--step calibrate` measures rest and both poles. " if linear else "",
        "beside": " and ".join(beside),
        "check": " ".join(works),
        "exchanged": (
            "two lines that were exchanged it names, and two cells too"
            if isinstance(wiring, MatrixWiring)
            else "two wires that were exchanged it names"
        ),
    }
