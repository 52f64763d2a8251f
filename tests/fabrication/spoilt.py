"""Boards as they are when somebody has soldered something else."""

from dataclasses import replace

from pond_hw.fabrication.netlist import Netlist


def exchanged(netlist, one, other):
    """Two wires were soldered to each other's pins."""
    swap = {one: other, other: one}
    nets = {name: tuple(swap.get(end, end) for end in ends) for name, ends in netlist.nets.items()}
    return Netlist(netlist.parts, nets)


def left_out(netlist, *pins):
    """These pins were forgotten."""
    nets = {name: tuple(end for end in ends if end not in pins) for name, ends in netlist.nets.items()}
    return Netlist(netlist.parts, nets)


def touching(netlist, one, other):
    """Two nets touch."""
    nets = dict(netlist.nets)
    nets[one] = (*nets[one], *nets.pop(other))
    return Netlist(netlist.parts, nets)


def replaced(netlist, part):
    """Another part was put in the place of the one of that name."""
    return replace(netlist, parts={**netlist.parts, part.ref: part})
