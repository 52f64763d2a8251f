"""Sensor chips compared with their drivers and the part catalogue."""

from inspect import isclass
from pkgutil import resolve_name

import pytest

from pond_hw.fabrication.part_catalogue import PART_TYPES
from pond_hw.messages.message import Message
from pond_hw.profile import parse_profile
from pond_hw.profile.chips import CONVERTERS, EXPANDERS, PCF8575, ExpanderPin
from pond_hw.profile.fields import WORD_FORMS
from tests.board.benches import with_pcf8575s
from tests.profile.texts import EXPANDERS as EXPANDERS_TEXT
from tests.profile.texts import PICO, edited, faults

CHIPS = EXPANDERS | CONVERTERS


@pytest.fixture(params=CHIPS)
def chip(request):
    return CHIPS[request.param]


@pytest.fixture(params=EXPANDERS)
def expander(request):
    return EXPANDERS[request.param]


def package_pins(chip):
    """Return the package pins of a chip by pin name, from the part catalogue."""
    return {pin.name: int(leg) for leg, pin in PART_TYPES[chip.part].pins.items()}


def test_driver_has_what_a_scan_needs(chip):
    reader = resolve_name(chip.reader)
    assert isclass(reader)
    assert all(hasattr(reader, name) for name in ("open", "read_levels", "edge_fd", "is_configured", "close"))


def test_supply_and_ground_pins_are_in_the_catalogue(chip):
    entry = PART_TYPES[chip.part]
    pins = {pin.name: pin for pin in entry.pins.values()}
    fed = {name for name, pin in pins.items() if pin.pin_kind == "fed"}
    grounds = {name for name, pin in pins.items() if pin.pin_kind == "ground"}
    assert fed <= set(chip.high_pins)
    assert grounds <= set(chip.low_pins)
    assert pins[chip.high_pins[0]].pin_kind == "fed", "the capacitor goes next to the first supply pin"
    assert all(pins[name].required_rail == 3.3 for name in set(chip.high_pins) - fed)
    assert entry.box


def test_expander_package_pins_match_catalogue(expander):
    for port in expander.ports:
        for bit in range(8):
            pin = ExpanderPin(expander.addresses[0], port.name, bit)
            assert expander.find_package_pin(pin) == package_pins(expander)[f"{port.name}{bit}"]
    assert {"SDA", "SCL", "A0", "A1", "A2"} <= set(package_pins(expander))


def test_expander_pin_round_trip(expander):
    numbers = []
    for port in expander.ports:
        for bit in range(8):
            pin = ExpanderPin(expander.addresses[-1], port.name, bit)
            numbers.append(expander.find_number(pin))
            assert WORD_FORMS[expander.name].parse_word(expander.draw_pin(pin), "a1") == pin
    assert numbers == list(range(8 * len(expander.ports)))


def test_unknown_port_raises_an_error(expander):
    with pytest.raises(KeyError, match="has no port Q"):
        expander.find_port("Q")


def test_pcf8575_accepts_only_its_own_pins():
    text = with_pcf8575s(EXPANDERS_TEXT)
    wiring = parse_profile(text, "board").sensing.wiring
    assert wiring.chip is PCF8575
    assert wiring.pins["a2"] == ExpanderPin(0x20, "P1", 0)
    assert str(wiring.pins["a2"]) == "P10 at 0x20"
    (fault,) = faults(edited(text, ("20.P00", "20.A0")))
    example = {"low": "20", "high": "27", "first": "P00", "last": "P16"}
    assert fault.reason == Message("profile.word.expander", word='"20.A0"', cell="a3", **example)


@pytest.mark.parametrize(("word", "pin"), [("20.P07", "P07 at 0x20"), ("27.P17", "P17 at 0x27")])
def test_pcf8575_canary_is_not_an_input(word, pin):
    (fault,) = faults(edited(with_pcf8575s(EXPANDERS_TEXT), ("20.P00", word)))
    assert fault.reason == Message("profile.expander.canary", chip="PCF8575", pin=pin, cell="a3")


def test_pico_cannot_read_pcf8575():
    text = edited(PICO, ('driver = "gpio"', 'driver = "pcf8575"'))
    (reason,) = [fault.reason for fault in faults(text) if fault.reason.id.startswith("profile.pico")]
    assert reason == Message("profile.pico.driver", drivers=('"gpio"', '"matrix"', '"mcp23017"'))


@pytest.mark.parametrize("name", CONVERTERS)
def test_converter_package_pins_match_catalogue(name):
    converter = CONVERTERS[name]
    for channel in range(converter.channel_count):
        assert package_pins(converter)[f"{converter.channel_name}{channel}"] == converter.first_package_pin + channel
    assert set(converter.spi_pins) <= set(package_pins(converter))
