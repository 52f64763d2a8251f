"""The second USB serial port, which carries the game. The first keeps MicroPython's prompt."""

import usb.device
from usb.device.cdc import CDCInterface

BUFFER_BYTES = 512  # in each direction; a frame of 100 lamps takes 430
COMPOSITE = (
    0xEF,
    2,
    1,
)  # device with interface associations: two serial ports (USB ECN, "Interface Association Descriptor")


def open_game_port(usb_ma):
    """Open the port, and declare to the computer that the board takes up to `usb_ma`."""
    port = CDCInterface(timeout=0, txbuf=BUFFER_BYTES, rxbuf=BUFFER_BYTES)
    device_class, device_subclass, device_protocol = COMPOSITE
    usb.device.get().init(
        port,
        builtin_driver=True,
        device_class=device_class,
        device_subclass=device_subclass,
        device_protocol=device_protocol,
        max_power_ma=usb_ma,
    )
    return port
