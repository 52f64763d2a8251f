"""Naming the three lit cells red, green and blue."""

from itertools import permutations

import pytest

from pond_hw.messages.message import Message
from pond_hw.setup.wiring_step import ColourNaming

TRIO = ("a2", "b2", "c2")


@pytest.mark.parametrize("taken", ["".join(order) for order in permutations("RGB")])
@pytest.mark.parametrize("drawn", ["RGB", "GRB", "BRG"])
def test_what_looks_red_green_and_blue_tells_the_order(drawn, taken):
    naming = ColourNaming(drawn)
    sent = {cell: drawn.index(colour) for colour, cell in zip("RGB", TRIO, strict=True)}
    looks = {taken[position]: cell for cell, position in sent.items()}
    assert naming.found_order is None
    for colour in "RGB":
        assert naming.name_cell(looks[colour], TRIO) is None
    assert naming.found_order == taken


def test_a_cell_has_one_colour_and_the_naming_begins_again():
    naming = ColourNaming("GRB")
    naming.name_cell("b2", TRIO)
    assert naming.wanted == "green"
    assert naming.name_cell("b2", TRIO) == Message("colour.twice", cell="b2", first="red", second="green")
    assert (naming.wanted, naming.named) == ("red", ())


def test_a_cell_that_is_not_lit_is_told_and_changes_nothing():
    naming = ColourNaming("GRB")
    assert naming.name_cell("d4", TRIO) == Message("colour.not_lit", cell="d4", cells=TRIO)
    assert naming.wanted == "red"
