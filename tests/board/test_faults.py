"""Tests of faults between the chips and the host: no touch is lost or invented, and a faulty board reports the fault.

Detection and recovery times are printed at the end of the run, in simulated time.
"""

from random import Random

import pytest

from pond_hw.board import HealthEvent
from pond_hw.messages.message import Message
from tests.conftest import long_after_first

EXPANDERS = pytest.mark.parametrize("bench", ["hall-4x4"], indirect=True)
BIT_BANGED = pytest.param("hall-5x5 by software", marks=pytest.mark.long)
CONVERTERS = pytest.mark.parametrize("bench", ["hall-5x5", BIT_BANGED], indirect=True)
TRELLIS = pytest.mark.parametrize("bench", ["neotrellis-4x4"], indirect=True)
PCF8575S = pytest.mark.parametrize("bench", ["hall-4x4 with PCF8575s"], indirect=True)
I2C_BOARDS = ["hall-4x4", "hall-4x4 with PCF8575s", "neotrellis-4x4"]
I2C = pytest.mark.parametrize("bench", I2C_BOARDS, indirect=True)
I2C_MOSTLY_LONG = pytest.mark.parametrize("bench", long_after_first(I2C_BOARDS), indirect=True)
MAX_DETECTION_SECONDS, MAX_RECOVERY_SECONDS = 0.5, 1.0
"""Maximum number of seconds until a fault is reported, and until a board works again."""


def press_and_check(bench, cell):
    """Press a cell and check that it is reported."""
    bench.press(cell)
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [(cell, True)]


def check_touch(bench, cell="c1"):
    """Check that a touch is reported."""
    press_and_check(bench, cell)
    bench.release(cell)
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [(cell, False)]


def lost(reason_id, **arguments):
    """Return the message that sensors are lost for this reason."""
    return Message("sensors.lost", reason=Message(reason_id, **arguments))


def check_fault(bench, fault_at):
    """Check that one fault was reported, and in time. Return its message."""
    (health,) = bench.take_health_events()
    assert health.trouble
    assert bench.reported_at - fault_at <= MAX_DETECTION_SECONDS
    return health.trouble


def check_recovery(bench, repaired_at):
    """Check that recovery was reported once, and in time."""
    (health,) = bench.take_health_events()
    assert health.trouble is None
    assert bench.reported_at - repaired_at <= MAX_RECOVERY_SECONDS


@pytest.mark.slow
@I2C_MOSTLY_LONG
def test_one_percent_failed_transfers_lose_no_events(bench):
    bench.wire.nak_share = 0.01
    rng, started_at, down = Random(3), bench.now(), set()
    while bench.now() < started_at + bench.long_seconds:
        cell = rng.choice(bench.cells)
        (bench.release if cell in down else bench.press)(cell)
        down ^= {cell}
        if len(down) == len(bench.cells):
            continue
        bench.wait(bench.report_delay + rng.uniform(0, 0.3))
        assert bench.take_touches() == [(cell, cell in down)]
    assert bench.wire.transfers > 80 * bench.long_seconds


@pytest.mark.slow
@I2C_MOSTLY_LONG
def test_idle_board_tolerates_failed_transfers(bench):
    bench.wire.nak_share = 0.01
    bench.wait(bench.long_seconds)
    assert bench.sensor_events == []


@I2C
def test_dead_bus_is_reported_once_and_recovers(bench):
    check_touch(bench)
    bench.wire.dead, fault_at = True, bench.now()
    bench.wait(2.0)
    assert check_fault(bench, fault_at).arguments["reason"].id == "i2c.no_answer"
    assert bench.sensor_events == []
    bench.wire.dead, repaired_at = False, bench.now()
    bench.wait(MAX_RECOVERY_SECONDS)
    check_recovery(bench, repaired_at)
    check_touch(bench)


@I2C
def test_presses_on_dead_bus_are_not_reported(bench):
    bench.wire.dead = True
    bench.wait(0.5)
    (health,) = bench.take_health_events()
    assert health.trouble
    for cell in ("a1", "b2"):
        bench.press(cell)
        bench.wait(0.3)
        bench.release(cell)
        bench.wait(0.3)
    assert bench.sensor_events == []
    bench.wire.dead = False
    bench.wait(MAX_RECOVERY_SECONDS)
    assert [each.trouble for each in bench.take_health_events()] == [None]
    assert bench.sensor_events == []


@I2C
@pytest.mark.parametrize("outage", [0.1, 0.5, 2.0])
def test_hold_during_outage_is_one_touch(bench, outage):
    press_and_check(bench, "b3")
    bench.wire.dead = True
    bench.wait(outage)
    bench.wire.dead = False
    bench.wait(MAX_RECOVERY_SECONDS)
    bench.take_health_events()
    assert bench.sensor_events == []
    bench.release("b3")
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [("b3", False)]
    check_touch(bench, "b3")


@I2C
@pytest.mark.parametrize("outage", [0.1, 0.5, 2.0])
def test_release_during_outage_is_reported_afterwards(bench, outage):
    press_and_check(bench, "b3")
    bench.wire.dead = True
    bench.wait(outage / 2)
    bench.release("b3")
    bench.wait(outage / 2)
    bench.wire.dead = False
    bench.wait(MAX_RECOVERY_SECONDS + bench.report_delay)
    bench.take_health_events()
    assert bench.take_touches() == [("b3", False)]
    check_touch(bench, "b3")


@I2C
def test_line_held_low_does_not_block(bench):
    check_touch(bench)
    bench.wire.sda_low, fault_at = True, bench.now()
    assert bench.wire.timeout == 0.05
    longest, before = 0.0, fault_at
    while bench.now() < fault_at + 2.0:
        bench.wait(bench.period)
        longest, before = max(longest, bench.now() - before), bench.now()
    assert longest < 0.25, "often enough for a watchdog"
    assert check_fault(bench, fault_at) == lost("i2c.hangs", bus=1)
    assert bench.sensor_events == []
    bench.wire.sda_low, repaired_at = False, bench.now()
    bench.wait(MAX_RECOVERY_SECONDS)
    check_recovery(bench, repaired_at)
    check_touch(bench)


@I2C
@pytest.mark.parametrize("byte", [0x00, 0xFF])
@pytest.mark.parametrize("held", [False, True])
def test_constant_bits_are_not_accepted_as_a_position(bench, byte, held):
    if held:
        press_and_check(bench, "b2")
    bench.wait(0.2)
    bench.wire.constant_byte, fault_at = byte, bench.now()
    bench.wait(2.0)
    check_fault(bench, fault_at)
    assert bench.sensor_events == []
    bench.wire.constant_byte, repaired_at = None, bench.now()
    bench.wait(MAX_RECOVERY_SECONDS)
    check_recovery(bench, repaired_at)
    assert bench.sensor_events == []
    check_touch(bench, "b3")


@EXPANDERS
@pytest.mark.parametrize("floating", [0x0000, 0xFFFF, 0x5A5A, 0x0080, 0x7FFF])
@pytest.mark.parametrize("address", [0x20, 0x21])
@pytest.mark.parametrize("held", [False, True])
def test_reset_expander_is_reconfigured(bench, floating, address, held):
    if held:
        press_and_check(bench, "b2")
        press_and_check(bench, "b4")
    bench.wait(0.37)
    chip = bench.wire.chips[address]
    programmed, fault_at = bytes(chip.registers[:14]), bench.now()
    chip.floating = floating
    chip.reset()
    while chip.registers[:14] != programmed:
        bench.wait(bench.period)
        assert bench.now() - fault_at <= MAX_RECOVERY_SECONDS
    bench.wait(MAX_RECOVERY_SECONDS)
    bench.take_health_events()
    assert bench.sensor_events == []
    check_touch(bench, "a1")
    check_touch(bench, "a4")
    if held:
        for cell in ("b2", "b4"):
            bench.release(cell)
            bench.wait(bench.report_delay)
            assert bench.take_touches() == [(cell, False)]


@EXPANDERS
def test_expander_reset_during_drop_reports_only_the_piece(bench):
    for moment in range(12):
        bench.wire.chips[0x20].floating = 0x0080  # its canaries look right
        bench.press("b4")
        bench.wait(moment * bench.period)
        bench.wire.chips[0x20].reset()
        bench.wait(2 * MAX_RECOVERY_SECONDS)
        assert bench.take_touches() == [("b4", True)]
        bench.release("b4")
        bench.wait(bench.report_delay)
        assert bench.take_touches() == [("b4", False)]


@EXPANDERS
def test_reset_expander_with_same_levels_is_detected(bench):
    for number in range(16):
        bench.wait(0.06 * number)
        fault_at, chip = bench.now(), bench.wire.chips[0x20]
        chip.floating = 0x7FFF  # no piece, and the levels do not change
        chip.reset()
        while chip.word(chip.GPPU) != 0x7F7F:
            assert bench.now() - fault_at <= MAX_RECOVERY_SECONDS
            bench.wait(bench.period)
    assert bench.sensor_events == []


@EXPANDERS
def test_missing_expander_is_named(bench):
    del bench.wire.chips[0x21]
    bench.wait(1.0)
    (health,) = bench.take_health_events()
    assert health.trouble == lost("i2c.no_answer", address="0x21", bus=1, text="Remote I/O error")


@PCF8575S
@pytest.mark.parametrize("held", [False, True])
def test_reset_pcf8575_keeps_working(bench, held):
    if held:
        press_and_check(bench, "b2")
        press_and_check(bench, "b4")
    for chip in bench.wire.chips.values():
        bench.wait(0.37)
        chip.reset()
    bench.wait(MAX_RECOVERY_SECONDS)
    assert bench.sensor_events == []
    assert {chip.latch for chip in bench.wire.chips.values()} == {0x7FFF}
    check_touch(bench, "a1")
    for cell in ("b2", "b4") if held else ():
        bench.release(cell)
        bench.wait(bench.report_delay)
        assert bench.take_touches() == [(cell, False)]


@PCF8575S
@pytest.mark.parametrize("word", [0x0000, 0xFFFF, 0x8000, 0x8080])
@pytest.mark.parametrize("address", [0x20, 0x21])
def test_unpowered_pcf8575_gives_no_position(bench, word, address):
    press_and_check(bench, "b2")
    bench.wire.chips[address].dead, fault_at = word, bench.now()
    bench.wait(2.0)
    facts = {"chip": "PCF8575", "address": f"0x{address:02x}", "value": f"0x{word:04x}"}
    assert check_fault(bench, fault_at) == lost("expander.impossible", **facts)
    assert bench.sensor_events == []
    bench.wire.chips[address].dead, repaired_at = None, bench.now()
    bench.wire.chips[address].reset()
    bench.wait(MAX_RECOVERY_SECONDS)
    check_recovery(bench, repaired_at)
    assert bench.sensor_events == []
    bench.release("b2")
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [("b2", False)]


@PCF8575S
def test_pcf8575_pin_driven_low_is_not_a_touch(bench):
    for bit in range(16):
        bench.wire.chips[0x20].latch &= ~(1 << bit)
        bench.wait(0.2)
    assert bench.sensor_events == []


@CONVERTERS
@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("letter", ["A", "D"])
def test_stuck_converter_data_line_is_a_fault(bench, letter, level):
    press_and_check(bench, "a1")
    bench.converters[letter].stuck, fault_at = level, bench.now()
    bench.wait(2.0)
    trouble = check_fault(bench, fault_at)
    rail, miso = ("zero", "ones")[level], trouble.arguments["reason"].arguments["miso"]
    assert trouble == lost(f"converter.stuck.{rail}", chip=letter, miso=miso)
    assert bench.sensor_events == []
    bench.converters[letter].stuck, repaired_at = None, bench.now()
    bench.wait(MAX_RECOVERY_SECONDS)
    check_recovery(bench, repaired_at)
    assert bench.sensor_events == []
    bench.release("a1")
    bench.wait(bench.report_delay)
    assert bench.take_touches() == [("a1", False)]


@CONVERTERS
def test_weak_piece_survives_outage(bench):
    bench.magnet("c3", 65)
    bench.wait(1.0)
    bench.magnet("c3", 40)  # it has slid a little, to between the thresholds
    bench.wait(1.0)
    assert bench.take_touches() == [("c3", True)]
    bench.converters["B"].stuck = 1
    bench.wait(1.0)
    bench.converters["B"].stuck = None
    bench.wait(MAX_RECOVERY_SECONDS)
    assert [each.trouble is None for each in bench.take_health_events()] == [False, True]
    assert bench.sensor_events == []


@TRELLIS
@pytest.mark.parametrize("held", [(), ("b2",), ("b2", "c3", "d1")])
def test_reset_neotrellis_is_reconfigured(bench, held):
    for cell in held:
        press_and_check(bench, cell)
    bench.wait(0.37)
    fault_at = bench.now()
    bench.chip.reset()
    while not all({bench.chip.RISING, bench.chip.FALLING} <= active for active in bench.chip.active):
        bench.wait(bench.period)
        assert bench.now() - fault_at <= MAX_RECOVERY_SECONDS
    bench.wait(MAX_RECOVERY_SECONDS)
    bench.take_health_events()
    assert bench.sensor_events == []
    for cell in held:
        bench.release(cell)
        bench.wait(bench.report_delay)
        assert bench.take_touches() == [(cell, False)]
    check_touch(bench, "a4")
    assert bench.chip.resets == 3, "at the start, now, and once for setup"


@TRELLIS
def test_release_during_neotrellis_reset_is_reported(bench):
    press_and_check(bench, "b2")
    press_and_check(bench, "c3")
    bench.chip.reset()
    bench.wait(0.05)
    bench.release("b2")
    bench.wait(2 * MAX_RECOVERY_SECONDS)
    bench.take_health_events()
    assert bench.take_touches() == [("b2", False)]
    check_touch(bench, "b2")


@TRELLIS
def test_neotrellis_lamps_return_after_reset(bench):
    from pond_hw.board import Frame

    frame = Frame(4, 1, bytes(range(100, 148)))
    bench.board.lamps.show(frame)
    bench.wait(bench.report_delay)
    lit = bench.chip.lit
    bench.chip.reset()
    bench.chip.lit = bytes(48)
    for _ in range(60):
        bench.board.lamps.show(frame)  # as the loop does, thirty times a second
        bench.wait(1 / 30)
    assert lit != bytes(48)
    assert bench.chip.lit == lit


@TRELLIS
def test_overflowed_queue_is_not_trusted(bench):
    press_and_check(bench, "b2")
    bench.clock.sleep(3.0)  # the program stands still while the finger leaves
    bench.due = bench.now()
    bench.release("b2")
    bench.clock.sleep(0.1)
    bench.wait(2 * MAX_RECOVERY_SECONDS)
    assert bench.take_touches() == [("b2", False)]
    check_touch(bench, "b2")


@I2C
def test_missing_board_is_reported_and_may_appear_later(bench):
    bench.close()
    bench.sensor_events.clear()
    bench.wire.dead = True
    bench.open()
    bench.wait(2.0)
    trouble = bench.take_health_events()[0].trouble
    address = trouble.arguments["reason"].arguments["address"]
    assert trouble == lost("i2c.no_answer", address=address, bus=1, text="Remote I/O error")
    assert address in ("0x20", "0x2e")
    bench.wire.dead = False
    bench.wait(2.0)
    assert bench.take_health_events()[-1].trouble is None
    check_touch(bench)


@pytest.mark.parametrize("bench", ["direct-4x4"], indirect=True)
def test_health_event_has_reason(bench):
    bench.set_all(down=True)
    bench.wait(1.0)
    bench.set_all(down=False)
    bench.wait(1.0)
    lost_event, recovered_event = bench.sensor_events
    assert lost_event == HealthEvent(lost("sensors.all_buttons"), lost_event.instant)
    assert recovered_event == HealthEvent(None, recovered_event.instant)


@pytest.mark.parametrize("bench", ["matrix-5x5"], indirect=True)
def test_grounded_sense_line_is_a_fault(bench):
    bench.pins.grounded.add(17)
    bench.wait(2.0)
    (health,) = bench.sensor_events
    assert health.trouble == lost("matrix.grounded", pin=17)
    bench.pins.grounded.discard(17)
    bench.wait(MAX_RECOVERY_SECONDS)
    assert bench.sensor_events[1:] == [HealthEvent(None, bench.sensor_events[1].instant)]
    bench.sensor_events.clear()
    check_touch(bench)
