"""Checks of the firmware's logic that also run under MicroPython, and therefore without pytest.

`python logic.py FOLDER` checks the firmware in that folder and prints a line for each check.
"""

import sys
from binascii import b2a_base64
from json import dumps, loads

if __name__ == "__main__" and len(sys.argv) > 1:
    sys.path.insert(0, sys.argv[1])

import pond_board
from pond_board import PondBoard, add_crc, parse_config, strip_crc

CONFIG = (
    b'{"read": "gpio", "wires": [2, 3], "hold_ms": [8, 8, 20], "keys": [22], '
    b'"data": 26, "lamps": 4, "budget_ma": 100, "usb_ma": 200}'
)
MATRIX = {"read": "matrix", "wires": [[2, 12], [2, 13], [3, 12]], "hold_ms": [8, 8, 8, 20]}
EXPANDER_REASON = "wires contains [%d, %d]. Addresses are 32 to 39, and inputs 0 to 6 and 8 to 14."
EXPANDERS = {"read": "mcp23017", "wires": [[32, 0], [32, 14], [33, 8]], "hold_ms": [8, 8, 8, 20], "sda": 4, "scl": 5}


class Hardware:
    """Pins, lamps and a cable in memory.

    Attributes:
        levels: mask of inputs that are down; None if the chips do not answer.
        lit: current frame.
        shown: all frames.
        sent: sent bytes.
        room: number of bytes that can be sent at once.
    """

    def __init__(self):
        self.levels, self.lit, self.shown, self.sent, self.room = 0, None, [], b"", 10000
        self.incoming, self.saved, self.done = b"", None, []

    def read_levels(self):
        if self.levels is None:
            raise OSError(5)
        return self.levels

    def light(self, data):
        self.lit = bytes(data)
        self.shown.append(self.lit)

    def receive(self):
        data, self.incoming = self.incoming[:64], self.incoming[64:]
        return data

    def send(self, data):
        taken = bytes(data[: self.room])
        self.sent += taken
        return len(taken)

    def save_config(self, text):
        self.saved = bytes(text)

    def restart(self):
        self.done.append("restart")


class FirmwareBench:
    """Firmware with simulated hardware, a clock and a host."""

    def __init__(self, config=CONFIG, epoch=7):
        self.hardware, self.now = Hardware(), 0
        self.board = PondBoard(self.hardware, config, epoch)
        self.wait(1)

    def wait(self, ms):
        for _ in range(ms):
            self.now += 1
            self.board.step(self.now)

    def send_line(self, body, ms=12):
        self.hardware.incoming += add_crc(body)
        self.wait(ms)

    def frame(self, data, seen=0):
        self.send_line(b"frame %d " % seen + b2a_base64(data).strip())

    def take_lines(self):
        """Return the bodies of the lines that the board has sent since the last call."""
        lines, self.hardware.sent = self.hardware.sent.split(b"\n"), b""
        return [strip_crc(line) for line in lines if line]

    def take_presses(self):
        return [line for line in self.take_lines() if line and line.split()[0] in (b"press", b"release")]


def check_hello_at_start_and_on_request():
    bench = FirmwareBench()
    (hello,) = bench.take_lines()
    crc = add_crc(CONFIG).split()[-1]
    assert hello == b"hello pond 3 2.0 " + crc + b" 3 4 100 4096 0", hello
    bench.send_line(b"hello 12")
    again, state = bench.take_lines()
    assert again == hello[:-1] + b"12"
    assert state.split()[0] == b"state"


def check_debounced_press_repeats_until_seen():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    bench.take_lines()
    bench.hardware.levels = 1
    bench.wait(8)
    assert bench.take_presses() == []
    bench.wait(2)
    (press,) = bench.take_presses()
    assert press.split()[:3] == [b"press", b"1", b"0"]
    bench.send_line(b"ping 0")
    assert press in bench.take_lines()
    bench.send_line(b"ping 1")
    (state,) = bench.take_lines()
    assert state.split()[2] == b"1"
    assert state.split()[4:] == [b"1", b"ok"]
    bench.hardware.levels = 0
    bench.wait(12)
    (release,) = bench.take_presses()
    assert release.split()[:3] == [b"release", b"2", b"0"]


def check_initially_down_input_is_not_a_press():
    hardware = Hardware()
    hardware.levels = 1
    board = PondBoard(hardware, CONFIG, 7)
    hardware.incoming += add_crc(b"ping 0")
    for now in range(30):
        if now == 20:
            hardware.incoming += add_crc(b"ping 0")
        board.step(now)
    assert b"press" not in hardware.sent
    assert b" 1 ok " in hardware.sent  # the level is reported


def check_each_input_has_its_own_debounce():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    bench.take_lines()
    bench.hardware.levels = 0b110
    bench.wait(12)
    (press,) = bench.take_presses()
    assert press.split()[2] == b"1"
    bench.wait(12)
    (press,) = bench.take_presses()
    assert press.split()[2] == b"2"


def check_chatter_is_one_press_and_spike_is_ignored():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    bench.take_lines()
    for level in (1, 0, 1, 1, 0, 1, 0, 1):
        bench.hardware.levels = level
        bench.wait(2)
    bench.wait(10)
    assert len(bench.take_presses()) == 1
    bench.hardware.levels = 0
    bench.wait(7)
    bench.hardware.levels = 1
    bench.wait(20)
    assert bench.take_presses() == []


def check_frame_lights_lamps_and_is_answered():
    bench = FirmwareBench()
    assert bench.hardware.lit == bytes(12)
    bench.take_lines()
    bench.frame(bytes(range(12)))
    assert bench.hardware.lit == bytes(range(12))
    (state,) = bench.take_lines()
    assert state.split()[0] == b"state"


def check_frame_of_wrong_length_is_ignored():
    bench = FirmwareBench()
    bench.take_lines()
    for data in (b"", bytes(11), bytes(15)):
        bench.frame(data)
        assert bench.hardware.lit == bytes(12)
        assert len(bench.take_lines()) == 1


def check_current_is_limited():
    bench = FirmwareBench()
    bench.frame(b"\xff" * 12)
    assert 0 < sum(bench.hardware.lit) * 20 / 255 <= 100 - 4
    assert len(set(bench.hardware.lit)) == 1
    bench.frame(b"\xff" * 4 + bytes(8))  # 80 mA and 4 mA idle
    assert bench.hardware.lit == b"\xff" * 4 + bytes(8)
    bench.frame(b"\xff" * 5 + bytes(7))  # 100 mA and 4 mA idle
    assert sum(bench.hardware.lit) * 20 / 255 <= 96


def check_lamps_go_dark_after_two_silent_seconds():
    bench = FirmwareBench()
    bench.frame(bytes([9] * 12))
    bench.wait(1980)
    assert bench.hardware.lit == bytes([9] * 12)
    bench.wait(30)
    assert bench.hardware.lit == bytes(12)
    bench.frame(bytes([8] * 12))
    assert bench.hardware.lit == bytes([8] * 12)


def check_press_in_the_dark_changes_only_levels():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    (before,) = [line.split() for line in bench.take_lines() if line.startswith(b"state")]
    bench.wait(2100)
    bench.hardware.levels = 1
    bench.wait(50)
    bench.hardware.levels = 3
    bench.wait(50)
    assert bench.take_presses() == []
    bench.send_line(b"ping 0")
    (state,) = [line.split() for line in bench.take_lines()]
    assert state[4] == b"3"
    assert state[1] != before[1]  # a new epoch


def check_unseen_presses_are_dropped_in_the_dark():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    bench.hardware.levels = 1
    bench.wait(20)
    assert len(bench.take_presses()) == 1
    bench.wait(2100)
    bench.send_line(b"ping 0")
    assert bench.take_presses() == []


def check_damaged_lines_are_ignored():
    bench = FirmwareBench()
    bench.frame(bytes([9] * 12))
    bench.take_lines()
    whole = add_crc(b"frame 0 " + b2a_base64(bytes([1] * 12)).strip())
    for end in range(len(whole) - 1):
        bench.hardware.incoming += whole[:end] + b"\n"
        bench.wait(3)
        assert bench.hardware.lit == bytes([9] * 12)
    for junk in (b"\x00\xff\x03\x04\r\n", b"state 1\n", b"\n\n\n", b" 00000000\n", bytes(range(256)) + b"\n"):
        bench.hardware.incoming += junk
        bench.wait(10)
    assert bench.take_lines() == []
    for bad in (
        b"ping",
        b"ping x",
        b"frame 0 !",
        b"frame",
        b"nothing at all",
    ):
        bench.send_line(bad)
    assert bench.hardware.lit == bytes([9] * 12)
    assert bench.hardware.done == []
    assert bench.hardware.saved is None
    bench.take_lines()
    bench.hardware.incoming += b"half a li"
    bench.send_line(b"ping 0")
    assert bench.take_lines() == []  # the incomplete line damaged this one
    bench.send_line(b"ping 0")
    assert len(bench.take_lines()) == 1


def check_overlong_line_is_dropped():
    bench = FirmwareBench()
    bench.take_lines()
    bench.hardware.incoming += b"x" * 20000
    bench.wait(400)
    bench.send_line(b"ping 0")
    assert bench.take_lines() == []  # end of the overlong line
    bench.send_line(b"ping 0")
    assert len(bench.take_lines()) == 1


def check_many_requests_do_not_stop_the_scan():
    bench = FirmwareBench()
    bench.hardware.incoming += add_crc(b"ping 0") * 500
    bench.hardware.levels, bench.hardware.room = 1, 16
    bench.wait(150)
    assert any(line and line.startswith(b"press 1 0") for line in bench.take_lines())


def check_slow_host_loses_nothing():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    bench.take_lines()
    bench.hardware.room = 0
    for level in (1, 0, 1, 0):
        bench.hardware.levels = level
        bench.wait(30)
    bench.hardware.room = 10000
    bench.send_line(b"ping 0")
    numbers = [int(line.split()[1]) for line in bench.take_presses()]
    assert sorted(set(numbers)) == [1, 2, 3, 4]


def check_too_many_presses_start_a_new_epoch():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    before = bench.take_lines()[-1].split()[1]
    for number in range(70):
        bench.hardware.levels = number & 1 ^ 1
        bench.wait(12)
    bench.send_line(b"ping 0")
    state = bench.take_lines()[-1].split()
    assert state[1] != before
    assert state[4] == b"0"


def check_new_host_gets_no_old_presses():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    bench.hardware.levels = 1
    bench.wait(20)
    bench.take_lines()
    bench.send_line(b"hello 1")
    bench.send_line(b"ping 0")
    lines = [line.split()[0] for line in bench.take_lines()]
    assert lines == [b"hello", b"state", b"state"], lines


def check_sensor_fault_is_reported():
    bench = FirmwareBench()
    bench.send_line(b"ping 0")
    bench.hardware.levels = 1
    bench.wait(20)
    bench.take_lines()
    bench.hardware.levels = None
    bench.wait(100)
    bench.send_line(b"ping 1")
    (state,) = [line.split() for line in bench.take_lines()]
    assert state[4:] == [b"1", b"fault"]
    bench.hardware.levels = 1
    bench.wait(20)
    bench.send_line(b"ping 1")
    (state,) = [line.split() for line in bench.take_lines()]
    assert state[4:] == [b"1", b"ok"]


def check_configuration_is_saved_before_restart():
    bench = FirmwareBench()
    bench.send_line(b"config " + CONFIG)
    assert bench.hardware.saved == CONFIG
    assert bench.hardware.done == ["restart"]


def check_each_wrong_setting_is_refused_with_a_reason():
    for base, changes, reason in WRONG:
        config = loads(CONFIG)
        config.update(base)
        parse_config(dumps(config))  # right before the change
        for name, value in changes.items():
            if value is None:
                del config[name]
            else:
                config[name] = value
        bench = FirmwareBench()
        bench.take_lines()
        bench.send_line(b"config " + dumps(config).encode())
        refused, state = bench.take_lines()
        assert refused == b"refused " + reason.encode(), refused
        assert state.startswith(b"state"), state
        assert (bench.hardware.saved, bench.hardware.done) == (None, []), reason


def check_configuration_that_is_not_json_is_refused():
    bench = FirmwareBench()
    bench.take_lines()
    for text in (b"7", b"[]", b"", b"nonsense"):
        bench.send_line(b"config " + text)
        assert bench.take_lines()[0] == b"refused The configuration is not a JSON object.", text
    for text in (b"{", CONFIG[:-2]):  # MicroPython's reader adds missing brackets
        bench.send_line(b"config " + text)
        assert bench.take_lines()[0].startswith(b"refused "), text
    assert bench.hardware.saved is None


WRONG = (
    ({}, {"read": "spi"}, "read must be gpio, matrix or mcp23017."),
    ({}, {"read": None}, "read must be gpio, matrix or mcp23017."),
    ({}, {"wires": None}, "wires is missing."),
    ({}, {"usb_ma": None}, "usb_ma is missing."),
    (EXPANDERS, {"scl": None}, "scl is missing."),
    ({}, {"sda": 4}, "sda is unknown."),
    ({}, {"lamps": 0}, "lamps must be a whole number from 1 to 1000."),
    ({}, {"lamps": 1001}, "lamps must be a whole number from 1 to 1000."),
    ({}, {"lamps": "16"}, "lamps must be a whole number from 1 to 1000."),
    ({}, {"budget_ma": 0.5}, "budget_ma must be a whole number from 1 to 20000."),
    ({}, {"usb_ma": 99}, "usb_ma must be a whole number from 100 to 500."),
    ({}, {"usb_ma": 501}, "usb_ma must be a whole number from 100 to 500."),
    ({}, {"usb_ma": True}, "usb_ma must be a whole number from 100 to 500."),
    ({}, {"wires": []}, "wires must be a list that is not empty."),
    ({}, {"wires": 2}, "wires must be a list that is not empty."),
    ({}, {"keys": 22}, "keys must be a list."),
    ({}, {"wires": [2, 23]}, "wires contains 23, which is not a GPIO of the Pico."),
    ({}, {"wires": [2, [3, 4]]}, "wires contains [3, 4], which is not a GPIO of the Pico."),
    ({}, {"keys": [-1]}, "keys contains -1, which is not a GPIO of the Pico."),
    ({}, {"data": "GP26"}, "data contains GP26, which is not a GPIO of the Pico."),
    ({}, {"wires": [2, 2]}, "GPIO 2 is in wires and in wires."),
    ({}, {"wires": [2, 26]}, "GPIO 26 is in data and in wires."),
    ({}, {"keys": [26]}, "GPIO 26 is in keys and in data."),
    (MATRIX, {"wires": [2, 3, 4]}, "wires must be pairs of numbers."),
    (MATRIX, {"wires": [[2, 12], [2, 13], [2, 12]]}, "wires contains [2, 12] twice."),
    (MATRIX, {"wires": [[2, 12], [2, 13], [12, 14]]}, "GPIO 12 is in wires and in wires."),
    (EXPANDERS, {"wires": [[32, 0], [32, 7], [33, 8]]}, EXPANDER_REASON % (32, 7)),
    (EXPANDERS, {"wires": [[32, 0], [40, 1], [33, 8]]}, EXPANDER_REASON % (40, 1)),
    (EXPANDERS, {"sda": 5, "scl": 4}, "scl must be a GPIO of I2C0."),
    (EXPANDERS, {"sda": 22}, "sda must be a GPIO of I2C0."),
    (EXPANDERS, {"keys": [4]}, "GPIO 4 is in keys and in sda."),
    ({}, {"hold_ms": [8, 8]}, "hold_ms must be 3 whole numbers from 0 to 1000, one for each wire and key."),
    ({}, {"hold_ms": [8, 8, 1001]}, "hold_ms must be 3 whole numbers from 0 to 1000, one for each wire and key."),
    ({}, {"hold_ms": 8}, "hold_ms must be 3 whole numbers from 0 to 1000, one for each wire and key."),
)
"""Settings of a correct configuration, a change that makes it wrong (None removes a setting), and the board's reason."""


def check_board_without_configuration_is_dark():
    bench = FirmwareBench(b"")
    (hello,) = bench.take_lines()
    assert hello.split()[4:8] == [b"00000000", b"0", b"0", b"0"]
    bench.send_line(b"ping 0")
    assert len(bench.take_lines()) == 1
    bench.frame(bytes(12))
    assert not bench.hardware.lit


def check_frame_of_1000_lamps_fits_a_line():
    assert pond_board.LINE_BYTES > 1000 * 4 + 40


CHECKS = sorted(name for name in globals() if name.startswith("check_"))


def main():
    for name in CHECKS:
        try:
            globals()[name]()
            print("passed", name)
        except Exception as error:  # noqa: BLE001 - whatever it is, the line says so
            print("failed", name, repr(error))


if __name__ == "__main__":
    main()
