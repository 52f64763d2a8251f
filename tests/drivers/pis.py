"""Simulated machines: folders with the files and devices of a Raspberry Pi."""

from pond_hw.drivers.pi_machine import Machine

PI_4 = ("Raspberry Pi 4 Model B Rev 1.5", 0xC03115)
PI_5 = ("Raspberry Pi 5 Model B Rev 1.0", 0xC04170)
ZERO_2 = ("Raspberry Pi Zero 2 W Rev 1.0", 0x902120)

ALL_DEVICES = ("spidev0.0", "gpiochip0", "gpiomem", "i2c-1", "pio0")

HEADER_AT_0 = {"gpiochip0": "pinctrl-bcm2711"}
PI_5_FIRST_YEAR = {
    **{f"gpiochip{number}": "gpio-brcmstb@107d508500" for number in range(4)},
    "gpiochip4": "pinctrl-rp1",
}
PI_5_NO_CHIP_0 = {
    **{f"gpiochip{number}": "gpio-brcmstb@107d508500" for number in range(11, 15)},
    "gpiochip15": "pinctrl-rp1",
}
"""Chips of a Pi 5 with kernel 6.12.96 or later: the header is /dev/gpiochip15."""


def make_pi(
    folder,
    kind=PI_4,
    devices=ALL_DEVICES,
    *,
    spi="okay",
    bufsiz=4096,
    denied=(),
    euid=1000,
    mocked=False,
    labels=HEADER_AT_0,
):
    """Build a simulated Pi with these devices.

    Args:
        folder: folder for its files.
        kind: model and revision.
        devices: names in /dev.
        spi: status of SPI in the device tree.
        bufsiz: size of the kernel's SPI buffer.
        denied: devices that may not be used.
        euid: effective user id.
        mocked: True if gpiozero uses mock pins.
        labels: labels of the GPIO chips. A chip without a label cannot be read.
    """
    model, revision = kind
    tree = folder / "proc/device-tree"
    node = tree / ("axi/pcie@120000/rp1/spi@50000" if kind is PI_5 else "soc/spi@7e204000")
    for place in (tree / "system", tree / "aliases", node, folder / "sys/module/spidev/parameters", folder / "dev"):
        place.mkdir(parents=True, exist_ok=True)
    (tree / "model").write_bytes(model.encode() + b"\0")
    (tree / "system/linux,revision").write_bytes(revision.to_bytes(4))
    (tree / "aliases/spi0").write_bytes(b"/" + str(node.relative_to(tree)).encode() + b"\0")
    (node / "status").write_bytes(spi.encode() + b"\0")
    (folder / "sys/module/spidev/parameters/bufsiz").write_text(f"{bufsiz}\n")
    for device in devices:
        (folder / "dev" / device).touch()

    def may_use(path):
        return path.name not in denied

    def chip_label(path):
        return labels.get(path.name, "") if may_use(path) else ""

    return Machine(folder, euid, may_use, mocked, chip_label=chip_label)


def make_laptop(folder, *, mocked=False):
    """Build a simulated machine that is not a Pi and has none of its devices."""
    return Machine(folder, 1000, lambda path: True, mocked)
