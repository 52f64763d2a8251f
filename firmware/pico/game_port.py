"""The second USB serial port, which carries the game. The first keeps MicroPython's prompt.

The port is of the class CDC-ACM (USB CDC 1.2 and PSTN 1.2), which every computer has a driver for.
"""

from machine import USBDevice
from micropython import RingIO

BUFFER_BYTES = 512  # in each direction; a frame of 100 lamps takes 430
PACKET_BYTES = 64  # of a bulk endpoint at full speed

COMPOSITE = bytes(
    (0xEF, 2, 1)
)  # device class with interface associations (USB ECN, "Interface Association Descriptor")

SETUP_STAGE = 1
TO_DEVICE, TO_HOST = 0x21, 0xA1  # requests of a class to an interface
SET_LINE_CODING, GET_LINE_CODING, SET_CONTROL_LINE_STATE, SEND_BREAK = 0x20, 0x21, 0x22, 0x23


class GamePort:
    """A serial port that never waits.

    Args:
        usb_ma: current that the board declares to the computer, in mA.
    """

    def __init__(self, usb_ma):
        builtin = USBDevice.BUILTIN_DEFAULT
        self._interface, self._notify, self._data = builtin.itf_max, builtin.ep_max, builtin.ep_max + 1
        # Each buffer is filled on one side only, by the program or by the USB driver, which may interrupt it.
        self._received, self._unsent = RingIO(BUFFER_BYTES), RingIO(BUFFER_BYTES)
        self._out, self._in = bytearray(PACKET_BYTES), bytearray(PACKET_BYTES)
        self._coding = bytearray((0, 0xC2, 1, 0, 0, 0, 8))  # 115200 baud, 8 bits; it means nothing here
        self._close()
        self._device = USBDevice()
        self._device.builtin_driver = builtin
        self._device.config(
            builtin.desc_dev[:4] + COMPOSITE + builtin.desc_dev[7:],
            self._describe(builtin.desc_cfg, usb_ma),
            desc_strs=None,  # only the built-in ones
            open_itf_cb=self._open,
            reset_cb=self._close,
            control_xfer_cb=self._answer_request,
            xfer_cb=self._end_transfer,
        )
        self._device.active(True)

    def read(self):
        """Return the received bytes."""
        data = self._received.read() or b""
        if self._is_open and not self._is_receiving:
            self._receive()
        return data

    def write(self, data):
        """Send as much of `data` as the buffer has room for. Return the number of bytes."""
        count = self._unsent.write(data) or 0
        if self._is_open and not self._is_sending:
            self._send()
        return count

    def _describe(self, builtin_config, usb_ma):
        """Return a configuration descriptor with the built-in interfaces and this port."""
        first, second, notify, data = self._interface, self._interface + 1, self._notify, self._data
        descriptors = (
            (11, first, 2, 2, 2, 0, 0),  # association of two interfaces
            (4, first, 0, 1, 2, 2, 0, 0),  # for control, CDC-ACM
            (0x24, 0, 0x20, 1),  # CDC 1.20
            (0x24, 1, 0, second),  # no call management
            (0x24, 2, 2),  # line coding and control lines
            (0x24, 6, first, second),
            (5, 0x80 | notify, 3, 8, 0, 16),  # interrupt endpoint, never used
            (4, second, 0, 2, 10, 0, 0, 0),  # for data
            (5, data, 2, PACKET_BYTES, 0, 0),  # bulk endpoints
            (5, 0x80 | data, 2, PACKET_BYTES, 0, 0),
        )
        config = bytearray(builtin_config)
        for descriptor in descriptors:
            config += bytes((len(descriptor) + 1,)) + bytes(descriptor)
        config[2:4] = len(config).to_bytes(2, "little")
        config[4] = self._interface + 2  # number of interfaces
        config[8] = usb_ma // 2  # in units of 2 mA
        return config

    def _open(self, _descriptors):
        self._is_open, self._is_sending = True, False
        self._receive()
        self._send()

    def _close(self):
        self._is_open = self._is_receiving = self._is_sending = self._is_full_packet = False

    def _answer_request(self, stage, request):
        """Return the data of a control request, True to accept it without data, or False to refuse it."""
        kind, number, interface = request[0], request[1], request[4]
        if interface != self._interface:
            return False
        if (kind, number) in ((TO_DEVICE, SET_LINE_CODING), (TO_HOST, GET_LINE_CODING)):
            return self._coding if stage == SETUP_STAGE else True
        return kind == TO_DEVICE and number in (SET_CONTROL_LINE_STATE, SEND_BREAK)

    def _end_transfer(self, endpoint, _result, count):
        if endpoint == self._data:
            self._received.write(memoryview(self._out)[:count])
            self._receive()
        else:
            self._send()
        return True

    def _receive(self):
        """Wait for a packet, unless there may be no room for it."""
        self._is_receiving = self._received.any() + PACKET_BYTES <= BUFFER_BYTES
        if self._is_receiving:
            self._submit(self._data, self._out)

    def _send(self):
        """Send a packet. An empty one ends data that filled the packets before."""
        count = self._unsent.readinto(self._in) or 0
        self._is_sending = count > 0 or self._is_full_packet
        self._is_full_packet = count == PACKET_BYTES
        if self._is_sending:
            self._submit(0x80 | self._data, memoryview(self._in)[:count])

    def _submit(self, endpoint, buffer):
        try:  # noqa: SIM105 - MicroPython has no contextlib
            self._device.submit_xfer(endpoint, buffer)
        except OSError:  # the computer has just reset the bus, and will open the port again
            pass
