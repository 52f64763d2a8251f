"""The table of chips, held against their drivers and against the catalogue of parts."""

from inspect import isclass
from pkgutil import resolve_name

import pytest

from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.profile.chips import CONVERTERS, EXPANDERS, ExpanderPin
from pond_hw.profile.fields import WORD_FORMS

CHIPS = EXPANDERS | CONVERTERS


@pytest.fixture(params=CHIPS)
def chip(request):
    return CHIPS[request.param]


@pytest.fixture(params=EXPANDERS)
def expander(request):
    return EXPANDERS[request.param]


def legs(chip):
    """The legs of a chip by the names of its pins, from the catalogue of parts."""
    return {pin.name: int(leg) for leg, pin in PART_TYPES[chip.part].pins.items()}


def test_driver_has_what_a_scan_needs(chip):
    reader = resolve_name(chip.reader)
    assert isclass(reader)
    assert all(hasattr(reader, name) for name in ("open", "read_levels", "edge_file", "is_configured", "close"))


def test_supply_and_ground_pins_are_in_the_catalogue(chip):
    entry = PART_TYPES[chip.part]
    pins = {pin.name: pin for pin in entry.pins.values()}
    fed = {name for name, pin in pins.items() if pin.pin_kind == "fed"}
    grounds = {name for name, pin in pins.items() if pin.pin_kind == "ground"}
    assert fed <= set(chip.high_pins)
    assert grounds <= set(chip.low_pins)
    assert pins[chip.high_pins[0]].pin_kind == "fed", "a capacitor goes beside the first one"
    assert all(pins[name].required_rail == 3.3 for name in set(chip.high_pins) - fed)
    assert entry.box


def test_legs_of_an_expanders_ports_are_those_of_the_catalogue(expander):
    for port in expander.ports:
        for bit in range(8):
            pin = ExpanderPin(expander.addresses[0], port.name, bit)
            assert expander.find_leg(pin) == legs(expander)[f"{port.name}{bit}"]
    assert {"SDA", "SCL", "A0", "A1", "A2"} <= set(legs(expander))


def test_expander_pins_are_numbered_and_read_back_as_drawn(expander):
    numbers = []
    for port in expander.ports:
        for bit in range(8):
            pin = ExpanderPin(expander.addresses[-1], port.name, bit)
            numbers.append(expander.find_number(pin))
            assert WORD_FORMS[expander.name].parse_word(expander.draw_pin(pin), "a1") == pin
    assert numbers == list(range(8 * len(expander.ports)))


def test_port_that_no_expander_has_is_an_error(expander):
    with pytest.raises(KeyError, match="has no port Q"):
        expander.find_port("Q")


@pytest.mark.parametrize("name", CONVERTERS)
def test_legs_of_a_converters_channels_are_those_of_the_catalogue(name):
    converter = CONVERTERS[name]
    for channel in range(converter.channel_count):
        assert legs(converter)[f"{converter.channel_name}{channel}"] == converter.first_leg + channel
    assert set(converter.spi_pins) <= set(legs(converter))
