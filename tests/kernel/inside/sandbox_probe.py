"""Probe that runs in the sandbox of Pond's unit. It makes one attempt after another and prints the result of each.

It imports nothing from Pond: the unit starts it before Pond, in the same place and with the same permissions.
"""

import errno
import mmap
import os
import socket
from pathlib import Path

FILE_NAME = "probe"


def write(folder):
    path = Path(folder, FILE_NAME)
    path.write_text("")
    path.unlink()


def open_device(name):
    os.close(os.open(f"/dev/{name}", os.O_RDWR))


def open_internet_socket():
    socket.socket(socket.AF_INET).close()


def map_executable_memory():
    """Map memory that is both writable and executable."""
    mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


ATTEMPTS = {
    "write to its state folder": lambda: write(os.environ["STATE_DIRECTORY"]),
    "write to its runtime folder": lambda: write(os.environ["RUNTIME_DIRECTORY"]),
    "write to /tmp": lambda: write("/tmp"),
    "write to /etc": lambda: write("/etc/pond"),
    "write to /opt/pond": lambda: write("/opt/pond"),
    "write to /usr": lambda: write("/usr"),
    "write to other state folders": lambda: write("/var/lib"),
    "read home directories": lambda: list(Path("/root").iterdir()),
    "open the pins": lambda: open_device("gpiochip0"),
    "open the lamps": lambda: open_device("spidev0.0"),
    "open the memory": lambda: open_device("mem"),
    "open the pins' memory": lambda: open_device("gpiomem"),
    "open the firmware": lambda: open_device("vcio"),
    "open an internet socket": open_internet_socket,
    "map executable memory": map_executable_memory,
    "become root": lambda: os.setuid(0),
    "use real-time scheduling": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "see other processes": lambda: Path("/proc/1/status").stat(),
    "change a kernel setting": lambda: os.open("/proc/sys/kernel/hostname", os.O_WRONLY),
}


def main():
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
        except OSError as error:
            print(f"{name}: {errno.errorcode[error.errno]}")
        else:
            print(f"{name}: done")


if __name__ == "__main__":
    main()
