"""Netlists of whole boards, and mistakes in them."""

from dataclasses import replace

from pond_hw.fabrication.circuit import make_circuit
from pond_hw.fabrication.netlist import Netlist
from pond_hw.fabrication.row_board import expand_rows


def make_full_circuit(profile):
    """Return the netlist of a board with all parts of its row boards."""
    return expand_rows(profile, make_circuit(profile))


def swap_pins(netlist, one, other):
    """Swap the wires of two pins."""
    swap = {one: other, other: one}
    nets = {name: tuple(swap.get(end, end) for end in ends) for name, ends in netlist.nets.items()}
    return Netlist(netlist.parts, nets)


def remove_pins(netlist, *pins):
    """Disconnect pins."""
    nets = {name: tuple(end for end in ends if end not in pins) for name, ends in netlist.nets.items()}
    return Netlist(netlist.parts, nets)


def remove_parts(netlist, *refs):
    """Leave out parts."""
    ends = [end for ends in netlist.nets.values() for end in ends if end.part in refs]
    parts = {ref: part for ref, part in netlist.parts.items() if ref not in refs}
    return Netlist(parts, remove_pins(netlist, *ends).nets)


def short_nets(netlist, one, other):
    """Short two nets."""
    nets = dict(netlist.nets)
    nets[one] = (*nets[one], *nets.pop(other))
    return Netlist(netlist.parts, nets)


def replace_part(netlist, part):
    """Replace the part with this reference."""
    return replace(netlist, parts={**netlist.parts, part.ref: part})
