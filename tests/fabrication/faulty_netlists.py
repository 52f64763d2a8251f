"""Netlists with soldering mistakes."""

from dataclasses import replace

from pond_hw.fabrication.netlist import Netlist


def swap_pins(netlist, one, other):
    """Swap the wires of two pins."""
    swap = {one: other, other: one}
    nets = {name: tuple(swap.get(end, end) for end in ends) for name, ends in netlist.nets.items()}
    return Netlist(netlist.parts, nets)


def remove_pins(netlist, *pins):
    """Disconnect pins."""
    nets = {name: tuple(end for end in ends if end not in pins) for name, ends in netlist.nets.items()}
    return Netlist(netlist.parts, nets)


def short_nets(netlist, one, other):
    """Short two nets."""
    nets = dict(netlist.nets)
    nets[one] = (*nets[one], *nets.pop(other))
    return Netlist(netlist.parts, nets)


def replace_part(netlist, part):
    """Replace the part with this reference."""
    return replace(netlist, parts={**netlist.parts, part.ref: part})
