"""Probe that runs in the sandbox of Pond's unit: it tries one thing after the other and prints a line with each result.

It imports nothing of Pond: the unit starts it before Pond, in the same place and with the same rights.
"""

import errno
import mmap
import os
import socket
from pathlib import Path

NOTE = "a note"


def write(folder):
    path = Path(folder, NOTE)
    path.write_text("")
    path.unlink()


def open_device(name):
    os.close(os.open(f"/dev/{name}", os.O_RDWR))


def internet():
    socket.socket(socket.AF_INET).close()


def code():
    """Map memory that is writable and executable."""
    mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


TRIES = {
    "write to its state": lambda: write(os.environ["STATE_DIRECTORY"]),
    "write to its runtime": lambda: write(os.environ["RUNTIME_DIRECTORY"]),
    "write to /tmp": lambda: write("/tmp"),
    "write to /etc": lambda: write("/etc/pond"),
    "write to /opt/pond": lambda: write("/opt/pond"),
    "write to /usr": lambda: write("/usr"),
    "write to another's state": lambda: write("/var/lib"),
    "look into homes": lambda: list(Path("/root").iterdir()),
    "open the pins": lambda: open_device("gpiochip0"),
    "open the lamps": lambda: open_device("spidev0.0"),
    "open the memory": lambda: open_device("mem"),
    "open the pins' memory": lambda: open_device("gpiomem"),
    "open the firmware": lambda: open_device("vcio"),
    "speak to the internet": internet,
    "write code and run it": code,
    "be root": lambda: os.setuid(0),
    "be first in line": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "see others": lambda: Path("/proc/1/status").stat(),
    "turn a kernel's knob": lambda: os.open("/proc/sys/kernel/hostname", os.O_WRONLY),
}


def main():
    for what, try_it in TRIES.items():
        try:
            try_it()
        except OSError as error:
            print(f"{what}: {errno.errorcode[error.errno]}")
        else:
            print(f"{what}: done")


if __name__ == "__main__":
    main()
