"""Board side of the USB protocol, independent of pins: it turns scans into lines, and lines into lamp frames.

    host   hello ANY | ping SEEN | frame SEEN BASE64 | config JSON
    board  hello pond PROTOCOL FIRMWARE FINGERPRINT INPUTS LAMPS BUDGET_MA LINE_BYTES ANY   also at the start, with 0
           state EPOCH SEEN NOW LEVELS HEALTH      the answer to every valid line
           press NUMBER INPUT MS | release NUMBER INPUT MS
           refused REASON                          the configuration is wrong; the board keeps the one it has

Each line ends with the CRC-32 of the text before it; damaged lines are ignored. A press is sent again until the host
has SEEN its number. LEVELS is a hexadecimal mask in which bit 0 is the first input. Times are in ms.
This module runs under MicroPython on a Pico and under CPython in tests. It accesses the Pico only through `hardware`.
"""

from binascii import a2b_base64, crc32
from json import loads

FIRMWARE, PROTOCOL = "2.0", 3
HOST_TIMEOUT_MS = 2000  # if the host is silent for this long, the lamps go dark and presses are dropped
MAX_LAMPS = 1000
LINE_BYTES = 4096  # longest line from the host: a frame of MAX_LAMPS
MAX_OUT_BYTES = 2048  # output buffer; the host asks again for an answer that does not fit
MAX_EVENTS, MAX_RESENT_EVENTS = 64, 16  # limit of unacknowledged presses, and of those resent at a time
CHANNEL_MA, IDLE_MA = 20, 1  # one colour of a lamp at 255; a dark lamp


def _crc(body):
    return ("%08x" % (crc32(body) & 0xFFFFFFFF)).encode()


def add_crc(body):
    """Return a line to send: the body, its CRC and a line end."""
    return body + b" " + _crc(body) + b"\n"


def strip_crc(line):
    """Return the body of a received line; None if its CRC is wrong."""
    body, _, crc = bytes(line).rstrip(b"\r").rpartition(b" ")
    return body if crc == _crc(body) else None


def limit_current(data, lamps, budget_ma):
    """Return a frame, dimmed if it exceeds the current limit."""
    available, requested = max(0, budget_ma - lamps * IDLE_MA), sum(data) * CHANNEL_MA
    if requested <= available * 255:
        return data
    share = available * 255 * 256 // requested
    return bytes([each * share >> 8 for each in data])


SETTINGS = ("budget_ma", "data", "hold_ms", "keys", "lamps", "read", "usb_ma", "wires")
EXPANDER_SETTINGS = ("scl", "sda")
GPIOS = tuple(range(23)) + (26, 27, 28)  # those with a pin on the Pico
I2C0 = {"sda": range(0, 21, 4), "scl": range(1, 22, 4)}  # GPIOs of the first I2C bus (RP2040 data sheet, 2.19.2)
EXPANDER_BITS = tuple(bit for bit in range(16) if bit not in (7, 15))  # those two only detect a reset


def parse_config(config_text):
    """Return the settings of a configuration (JSON). Raise ValueError with a sentence on the first that is wrong."""
    try:
        config = loads(config_text)
    except ValueError:
        config = None
    _require(type(config) is dict, "The configuration is not a JSON object.")
    read = config.get("read")
    _require(read in ("gpio", "matrix", "mcp23017"), "read must be gpio, matrix or mcp23017.")
    names = SETTINGS + (EXPANDER_SETTINGS if read == "mcp23017" else ())
    for name in names:
        _require(name in config, "%s is missing." % name)
    for name in config:
        _require(name in names, "%s is unknown." % name)
    for name, least, most in (("lamps", 1, MAX_LAMPS), ("budget_ma", 1, 20_000), ("usb_ma", 100, 500)):
        _require(_is_whole(config[name], least, most), "%s must be a whole number from %d to %d." % (name, least, most))
    _check_pins(config)
    holds, inputs = config["hold_ms"], len(config["wires"]) + len(config["keys"])
    _require(
        type(holds) is list and len(holds) == inputs and all(_is_whole(hold, 0, 1000) for hold in holds),
        "hold_ms must be %d whole numbers from 0 to 1000, one for each wire and key." % inputs,
    )
    return config


def _require(is_right, reason):
    if not is_right:
        raise ValueError(reason)


def _is_whole(value, least, most):
    return type(value) is int and least <= value <= most


def _check_pins(config):
    """Check the sensors' wires, and that each GPIO exists and is used once."""
    read, wires, keys = config["read"], config["wires"], config["keys"]
    _require(type(wires) is list and wires, "wires must be a list that is not empty.")
    _require(type(keys) is list, "keys must be a list.")
    uses = [("keys", key) for key in keys] + [("data", config["data"])]
    if read == "gpio":
        uses += [("wires", wire) for wire in wires]
    else:
        _require(all(type(wire) is list and len(wire) == 2 for wire in wires), "wires must be pairs of numbers.")
        for number, wire in enumerate(wires):
            _require(wire not in wires[:number], "wires contains %s twice." % wire)
    if read == "matrix":
        for ends in ([wire[0] for wire in wires], [wire[1] for wire in wires]):
            uses += [("wires", end) for number, end in enumerate(ends) if end not in ends[:number]]
    elif read == "mcp23017":
        for address, bit in wires:
            _require(
                _is_whole(address, 0x20, 0x27) and type(bit) is int and bit in EXPANDER_BITS,
                "wires contains [%s, %s]. Addresses are 32 to 39, and inputs 0 to 6 and 8 to 14." % (address, bit),
            )
        for name in EXPANDER_SETTINGS:
            _require(config[name] in I2C0[name], "%s must be a GPIO of I2C0." % name)
            uses.append((name, config[name]))
    used = {}
    for name, gpio in uses:
        _require(type(gpio) is int and gpio in GPIOS, "%s contains %s, which is not a GPIO of the Pico." % (name, gpio))
        _require(gpio not in used, "GPIO %s is in %s and in %s." % (gpio, used.get(gpio), name))
        used[gpio] = name


class PondBoard:
    """Debounced sensors, lamps, and the protocol with the host.

    Args:
        hardware: read_levels(), light(bytes), receive(), send(bytes) -> bytes taken, save_config(bytes), restart().
        config_text: the board's configuration from the host (JSON); b"" for none.
        epoch: a number that differs after every start.
    """

    def __init__(self, hardware, config_text=b"", epoch=0):
        self._hardware, self._epoch = hardware, epoch
        config = parse_config(config_text) if config_text else {"hold_ms": [], "lamps": 0, "budget_ma": 0}
        self._debounce_ms, self._lamps, self._budget = config["hold_ms"], config["lamps"], config["budget_ma"]
        hello = (PROTOCOL, FIRMWARE, crc32(config_text) & 0xFFFFFFFF, len(self._debounce_ms), self._lamps, self._budget)
        self._hello = ("hello pond %d %s %08x %d %d %d %d" % (hello + (LINE_BYTES,))).encode()
        self._levels = self._last_levels = 0  # debounced, and latest reading
        self._has_read = False  # inputs that are down at the first reading were not pressed
        self._since = [0] * len(self._debounce_ms)
        self._healthy = True
        self._number, self._events = 0, []  # number of the latest press; unacknowledged presses
        self._in, self._overlong, self._out = bytearray(), False, bytearray()
        self._last_line_at, self._dark = 0, True
        self._light(bytes(3 * self._lamps))
        self._queue_line(self._hello + b" 0")

    def step(self, now):
        """Process everything that is due; `now` is in ms and never decreases."""
        self._receive_lines(now)
        self._scan(now)
        if not self._dark and now - self._last_line_at >= HOST_TIMEOUT_MS:
            self._dark = True
            self._forget_events()
            self._light(bytes(3 * self._lamps))
        if self._out:
            self._out = self._out[self._hardware.send(self._out) :]

    def _light(self, data):
        self._hardware.light(limit_current(data, self._lamps, self._budget))

    def _queue_line(self, body):
        line = add_crc(body)
        if len(self._out) + len(line) <= MAX_OUT_BYTES:
            self._out += line

    def _receive_lines(self, now):
        self._in += self._hardware.receive()
        while (end := self._in.find(b"\n")) >= 0:
            body = None if self._overlong else strip_crc(self._in[:end])
            self._in, self._overlong = self._in[end + 1 :], False
            try:
                if body:
                    self._answer(body, now)
            except ValueError:  # ignore a line with an invalid number
                pass
        if len(self._in) > LINE_BYTES:
            self._in, self._overlong = bytearray(), True

    def _answer(self, body, now):
        verb, _, rest = body.partition(b" ")
        if verb not in (b"hello", b"ping", b"frame", b"config"):
            return
        self._last_line_at, self._dark = now, False
        if verb == b"hello":
            self._forget_events()  # the events belong to the previous host
            self._queue_line(self._hello + b" " + rest)
        elif verb == b"config":
            self._configure(rest)
        else:
            seen, _, frame = rest.partition(b" ")
            self._events = [event for event in self._events if event[0] > int(seen)]
            for _, line in self._events[:MAX_RESENT_EVENTS]:
                self._queue_line(line)
            data = a2b_base64(frame) if verb == b"frame" else b""
            if data and len(data) == 3 * self._lamps:
                self._light(data)
        health = "ok" if self._healthy else "fault"
        state = "state %d %d %d %x %s" % (self._epoch, self._number, now, self._levels, health)
        self._queue_line(state.encode())

    def _configure(self, config_text):
        try:
            parse_config(config_text)
        except ValueError as error:
            self._queue_line(("refused %s" % error).encode())
        else:
            self._hardware.save_config(config_text)
            self._hardware.restart()

    def _scan(self, now):
        try:
            levels = self._hardware.read_levels()
        except OSError:  # the sensor chips do not answer
            self._healthy, self._last_levels = False, self._levels
            return
        self._healthy = True
        if not self._has_read:
            self._levels = self._last_levels = levels
            self._has_read = True
        if levels == self._last_levels == self._levels:
            return
        for number, debounce in enumerate(self._debounce_ms):
            bit = 1 << number
            if (levels ^ self._last_levels) & bit:
                self._since[number] = now
            elif (levels ^ self._levels) & bit and now - self._since[number] >= debounce:
                self._levels ^= bit
                self._report_change(number, levels & bit, now)
        self._last_levels = levels

    def _report_change(self, number, down, now):
        if self._dark:
            return  # no host; the levels in the next state are enough
        if len(self._events) >= MAX_EVENTS:
            self._forget_events()
            return
        self._number += 1
        line = ("%s %d %d %d" % ("press" if down else "release", self._number, number, now)).encode()
        self._events.append((self._number, line))
        self._queue_line(line)

    def _forget_events(self):
        """Drop unacknowledged presses. The new epoch tells the host to use the levels instead."""
        self._events, self._epoch = [], self._epoch + 1
