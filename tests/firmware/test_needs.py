import dataclasses
import itertools

import pytest

from pond_hw.drivers.probe import USUAL_BUFFER
from pond_hw.drivers.spi import encode
from pond_hw.profile import load, shipped
from tests.firmware.card import FIRMWARE, board_file
from tests.firmware.scripts import needs

ROOT, USER = "pond-root.service", "pond.service"
FIVE = "Raspberry Pi 5 Model B Rev 1.0"

EXPECTED = {
    "direct-4x4": (("spi-lamps",), ("spidev",), USER),
    "matrix-5x5": (("spi-lamps",), ("spidev",), USER),
    "hall-4x4": (("spi-lamps", "mcp23017"), ("spidev", "i2c-dev"), USER),
    "hall-5x5": (("spi-lamps", "spi1-3cs"), ("spidev",), USER),
    "neotrellis-4x4": (("neotrellis",), ("i2c-dev",), USER),
    "pwm-4x4": (("pwm-lamps",), (), ROOT),
}


def changed(name, **parts):
    """A profile that ships, with another chain, wiring or the like."""
    profile = load(name)
    if "wiring" in parts:
        parts["sensing"] = dataclasses.replace(profile.sensing, wiring=parts.pop("wiring"))
    return dataclasses.replace(profile, **parts)


def on_pin(name, pin, **more):
    return changed(name, chain=dataclasses.replace(load(name).chain, pin=pin, **more))


@pytest.mark.parametrize("name", shipped())
def test_what_each_board_asks_of_its_pi(name):
    fragments, modules, unit = EXPECTED.get(name, ((), (), USER))
    what = needs.needs(load(name))
    assert (what.fragments, what.modules, what.unit) == (fragments, modules, unit)
    assert (what.words, what.remarks, what.pio) == ((), (), False)
    assert what.quiet == (name == "pwm-4x4")
    assert name in EXPECTED or name.startswith("simulated")


def test_every_fragment_is_there_and_every_file_is_one():
    cases = itertools.chain(*(each[0] for each in EXPECTED.values()))
    known = {*cases, "spi1-1cs", "spi1-2cs", "spi0-sensors"}
    assert {path.stem for path in (FIRMWARE / "boot").iterdir()} == known


@pytest.mark.parametrize("count", range(95, 115))
def test_a_chain_too_long_for_one_transfer_asks_for_a_larger_buffer(count):
    what = needs.needs(on_pin("direct-4x4", 10, count=count))
    too_long = len(encode(bytes(3 * count))) > USUAL_BUFFER
    assert what.words == (("spidev.bufsiz=65536",) if too_long else ())


@pytest.mark.parametrize(("pin", "pwm"), [(12, True), (18, True), (21, False)])
def test_lamps_off_spi_need_root_and_pwm_needs_silence(pin, pwm):
    what = needs.needs(on_pin("pwm-4x4", pin), "Raspberry Pi 4 Model B Rev 1.4")
    assert (what.fragments, what.quiet, what.unit) == (("pwm-lamps",) if pwm else (), pwm, ROOT)


@pytest.mark.parametrize("model", [FIVE, "Raspberry Pi 500 Rev 1.0", "Raspberry Pi Compute Module 5 Rev 1.0"])
def test_a_pi_5_cannot_drive_lamps_by_rpi_ws281x(model):
    with pytest.raises(needs.Unfit) as told:
        needs.needs(on_pin("pwm-4x4", 18, driver="ws281x"), model)
    assert str(told.value) == (
        f"rpi_ws281x does not know the {model}: move the lamps' data wire from GPIO 18 to GPIO 10 and "
        'give the profile driver = "spi" and pin = 10.'
    )


@pytest.mark.parametrize("driver", ["auto", "neopixel"])
def test_a_pi_5_drives_lamps_on_such_a_pin_by_pio_without_root(driver):
    what = needs.needs(on_pin("pwm-4x4", 18, driver=driver), FIVE)
    assert (what.unit, what.pio, what.fragments, what.quiet) == (USER, True, (), False)
    assert "need a helper that does not come with Pond" in what.remarks[0]


@pytest.mark.parametrize(("selects", "overlay"), [((18,), "spi1-1cs"), ((18, 17), "spi1-2cs"), ((16, 18), "spi1-3cs")])
def test_converters_on_spi1_get_as_many_selects_as_they_use(selects, overlay):
    wiring = load("hall-5x5").sensing.wiring
    one = wiring.chips["A"]
    chips = {letter: one._replace(select=select) for letter, select in zip("AB", selects, strict=False)}
    what = needs.needs(changed("hall-5x5", wiring=dataclasses.replace(wiring, chips=chips)))
    assert what.fragments == ("spi-lamps", overlay)


def test_converters_away_from_the_buses_need_nothing():
    wiring = load("hall-5x5").sensing.wiring
    alone = dataclasses.replace(wiring, chips={"D": wiring.chips["D"]})
    assert needs.needs(changed("hall-5x5", wiring=alone)).fragments == ("spi-lamps",)


def test_another_i2c_bus_is_left_to_the_builder_and_said():
    wiring = dataclasses.replace(load("hall-4x4").sensing.wiring, bus=3)
    what = needs.needs(changed("hall-4x4", wiring=wiring))
    assert what.fragments == ("spi-lamps",)
    assert what.modules == ("spidev", "i2c-dev")
    assert what.remarks == ("The board is on I2C bus 3: switch it on yourself, with dtoverlay=i2c3 in config.txt.",)


def test_a_shell_can_read_it(capsys, tmp_path):
    assert needs.main([str(board_file(tmp_path, count=150))]) == 0
    assert capsys.readouterr().out.splitlines() == [
        *("fragments=spi-lamps", "words=spidev.bufsiz=65536", "modules=spidev", "unit=pond.service", "quiet=", "pio="),
    ]


def test_a_profile_with_faults_tells_them_all(capsys, tmp_path):
    path = board_file(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("grid = 4", "grid = 9"), encoding="utf-8")
    assert needs.main([str(path)]) == 2
    assert "mine.toml has " in capsys.readouterr().err
