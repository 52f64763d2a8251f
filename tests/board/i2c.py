"""Simulated I2C bus with chips and faults, which replaces smbus2's ioctls."""

import ctypes
import errno
from random import Random

I2C_FUNCS, I2C_RDWR, I2C_TIMEOUT = 0x0705, 0x0707, 0x0702
READ = 0x0001


class Wire:
    """Simulated bus.

    Args:
        clock: simulated time; each transfer takes some.
        speed: bits per second.

    Attributes:
        chips: chips by address.
        nak_share: share of transfers that fail although the chip is present.
        dead: True if no chip answers.
        sda_low: True if SDA is held low: each transfer hangs until the kernel gives up.
        constant_byte: byte that every read returns instead of the chip's own data, or None.
        transfers: number of attempted transfers.
        timeout: the kernel's time limit in seconds.
    """

    def __init__(self, clock, speed=100_000):
        self.clock, self.speed = clock, speed
        self.chips = {}
        self.nak_share, self.dead, self.sda_low, self.constant_byte = 0.0, False, False, None
        self.transfers, self.timeout = 0, 1.0
        self.rng = Random(5)

    def ioctl(self, descriptor, request, argument):
        """Emulate Linux for smbus2."""
        if request == I2C_FUNCS:
            argument.value = 1
        elif request == I2C_TIMEOUT:
            self.timeout = argument / 100
        else:
            assert request == I2C_RDWR, hex(request)
            self._transfer([argument.msgs[number] for number in range(argument.nmsgs)])
        return 0

    def _transfer(self, messages):
        self.transfers += 1
        if self.sda_low:
            self.clock.sleep(self.timeout)
            raise TimeoutError(errno.ETIMEDOUT, "Connection timed out")
        self.clock.sleep(sum(9 * (message.len + 1) for message in messages) / self.speed)
        chip = self.chips.get(messages[0].addr)
        if self.dead or chip is None or not chip.awake or self.rng.random() < self.nak_share:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")
        for message in messages:
            if message.flags & READ:
                answer = chip.read(message.len)
                if self.constant_byte is not None:
                    answer = bytes([self.constant_byte]) * message.len
                ctypes.memmove(message.buf, answer, message.len)
            else:
                chip.write(ctypes.string_at(message.buf, message.len))


def plug_in(wire, patch, folder):
    """Use this bus as /dev/i2c-1, which is a file in the folder. `patch` replaces the object with a dotted name."""
    (folder / "i2c-1").touch()
    patch("pond_hw.drivers.i2c_bus.DEVICE_PATH", str(folder / "i2c-{}"))
    patch("smbus2.smbus2.ioctl", wire.ioctl)
    patch("fcntl.ioctl", wire.ioctl)


def use_simulated_sleep(clock, patch):
    """Make our driver and Adafruit's NeoTrellis driver sleep in simulated time."""
    patch("adafruit_seesaw.seesaw.time", clock)
    for module in ("adafruit_neotrellis.neotrellis", "pond_hw.drivers.neotrellis"):
        patch(f"{module}.sleep", clock.sleep)


class Mcp23017:
    """MCP23017 as in its data sheet, with registers in the default order and switches to ground on its pins.

    Attributes:
        grounded: bits of the pins at ground, port A in the lower half.
        floating: bits that undriven pins without pull-ups read as.
        registers: its 22 registers.
    """

    IODIR, IPOL, GPPU, GPIO, OLAT = 0x00, 0x02, 0x0C, 0x12, 0x14
    awake = True

    def __init__(self):
        self.grounded, self.floating = 0, 0x5A5A
        self.reset()

    def reset(self):
        """Reset the chip as a brown-out does."""
        self.registers = bytearray(b"\xff\xff" + bytes(20))
        self.pointer = 0

    def word(self, register):
        """Return both ports' values of a register."""
        return int.from_bytes(self.registers[register : register + 2], "little")

    def levels(self):
        """Return the levels of all pins."""
        inputs, pulled = self.word(self.IODIR), self.word(self.GPPU)
        outside = (pulled | self.floating & ~pulled) & ~self.grounded
        return outside & inputs | self.word(self.OLAT) & ~inputs

    def read(self, length):
        """Read consecutive registers, starting at the pointer."""
        seen = self.levels() ^ self.word(self.IPOL) & self.word(self.IODIR)
        self.registers[self.GPIO : self.GPIO + 2] = seen.to_bytes(2, "little")
        answer = bytes(self.registers[(self.pointer + number) % 22] for number in range(length))
        self.pointer = (self.pointer + length) % 22
        return answer

    def write(self, data):
        """Set the pointer, then write consecutive registers."""
        self.pointer = data[0] % 22
        for value in data[1:]:
            place = self.OLAT + self.pointer - self.GPIO if self.pointer in {0x12, 0x13} else self.pointer
            self.registers[place] = value
            self.pointer = (self.pointer + 1) % 22


class Pcf8575:
    """PCF8575 as in its data sheet, with switches to ground on its pins. It has no registers.

    Attributes:
        grounded: bits of the pins at ground, P0 in the lower half.
        dead: word that it reads as without a supply, powered through its bus and pins; None with a supply.
        latch: last written word, P0 in the lower half.
        resets: number of resets.
    """

    def __init__(self):
        self.grounded, self.dead, self.resets, self.awake = 0, None, 0, True
        self.reset()

    def reset(self):
        """Reset as after power-on: every pin is high."""
        self.latch = 0xFFFF
        self.resets += 1

    def read(self, length):
        """Return P0, P1, P0 ... A pin is low if it is driven low or its switch is closed."""
        word = self.latch & ~self.grounded if self.dead is None else self.dead
        return (word.to_bytes(2, "little") * length)[:length]

    def write(self, data):
        assert len(data) % 2 == 0, "an even number of bytes, by the data sheet"
        if self.dead is None and data:
            self.latch = int.from_bytes(data[-2:], "little")


class Seesaw:
    """Processor of a NeoTrellis, modelled on its firmware's source. It scans the keys every 10 ms.

    Attributes:
        down: numbers of the keys that are down.
        lit: current frame, with green, red and blue of each lamp; None before the first frame.
        resets: number of resets.
    """

    HIGH, LOW, FALLING, RISING = range(4)
    SCAN_SECONDS = 0.01
    BOOT = 0.1

    def __init__(self, clock):
        self.clock = clock
        self.down = set()
        self.lit = None
        self.resets = -1
        self.reset()

    def reset(self):
        """Reset as after a brown-out or on request."""
        self.resets += 1
        self.since = self.clock.now() + self.BOOT
        self.last_scan_at = self.since
        self.states, self.active = [0] * 16, [set() for _ in range(16)]
        self.queue = []
        self.pointer = None
        self.lamps_pin, self.lamps_length, self.lamps = None, 0, bytearray(64)

    @property
    def awake(self):
        """True if the chip has finished restarting."""
        return self.clock.now() >= self.since

    def press(self, key, *, down):
        self._scan_keys()
        self.down = self.down | {key} if down else self.down - {key}

    def _scan_keys(self):
        while self.last_scan_at + self.SCAN_SECONDS <= self.clock.now():
            self.last_scan_at += self.SCAN_SECONDS
            for key in range(16):
                before, now = self.states[key], int(key in self.down)
                reports = [self.HIGH if now else self.LOW]
                if before != now:
                    reports.append(self.RISING if now else self.FALLING)
                self.states[key] = now
                for report in reports:
                    if report in self.active[key] and len(self.queue) < 127:
                        self.queue.append((key // 4 * 8 + key % 4) << 2 | report)

    def write(self, data):
        """Write a register."""
        self._scan_keys()
        self.pointer, rest = tuple(data[:2]), data[2:]
        if self.pointer == (0x00, 0x7F):
            self.reset()
        elif self.pointer == (0x10, 0x01):
            self._activate(*rest)
        elif self.pointer == (0x0E, 0x01):
            self.lamps_pin = rest[0]
        elif self.pointer == (0x0E, 0x03):
            self.lamps_length = int.from_bytes(rest)
        elif self.pointer == (0x0E, 0x04):
            place = int.from_bytes(rest[:2])
            self.lamps[place : place + len(rest) - 2] = rest[2:]
        elif self.pointer == (0x0E, 0x05) and self.lamps_pin == 3:
            self.lit = bytes(self.lamps[: self.lamps_length])

    def _activate(self, number, value):
        key = number // 8 * 4 + number % 8
        edges = {edge for edge in range(4) if value >> 1 >> edge & 1}
        if value & 1:
            self.active[key] |= edges
        else:
            self.active[key] &= edges  # contrary to its documentation

    def read(self, length):
        """Return the contents of the selected register."""
        self._scan_keys()
        match self.pointer:
            case (0x00, 0x01):
                answer = b"\x55"
            case (0x00, 0x02):
                answer = bytes([0, 0, 0x3F, 0x2A])
            case (0x10, 0x04):
                answer = bytes([len(self.queue)])
            case (0x10, 0x10):
                answer = bytes(self.queue[:length])
                del self.queue[:length]
            case _:
                answer = b""
        return answer.ljust(length, b"\xff")
