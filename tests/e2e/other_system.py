"""Run the `pond` command in a process that lacks what Windows or macOS lacks.

    python -X warn_default_encoding -m tests.e2e.other_system windows headless
    python -X warn_default_encoding -m tests.e2e.other_system macos imports

The option makes it an error to read or write text in the encoding of the system, which isn't UTF-8 on Windows.

The standard library stays that of this machine. So this shows only that Pond doesn't ask for a module, a function or a file
that the other system lacks. It says nothing about the other system's terminal, file names or speed.
"""

import asyncio
import concurrent.futures.process
import errno
import importlib
import os
import pkgutil
import signal
import socket
import subprocess  # these modules must be loaded as on this machine, not as on the other
import sys
import time
import urllib.request
import warnings
from asyncio import unix_events
from functools import partial
from pathlib import Path

import textual.app
import textual.drivers.linux_driver
import textual.worker
import uvicorn

import pond_hw

LOADED_FIRST = (
    subprocess,
    concurrent.futures.process,
    urllib.request,
    textual.drivers.linux_driver,
    textual.worker,
    uvicorn,
)

PLATFORMS = {"windows": "win32", "macos": "darwin"}

MISSING_MODULES = {
    "windows": "curses fcntl grp posix pty pwd readline resource spwd syslog termios tty",
    "macos": "spwd",
}
MISSING_NAMES = {
    "windows": {
        os: """O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK PRIO_PROCESS chown fchdir fchmod fork forkpty getegid
            geteuid getgid getgroups getuid killpg mkfifo nice openpty posix_spawn pread preadv pwrite sched_getaffinity
            setpriority setsid statvfs sysconf uname wait3 wait4""",
        signal: """ITIMER_REAL SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm
            getitimer pthread_kill pthread_sigmask setitimer siginterrupt sigwait""",
        socket: "AF_UNIX SO_PEERCRED recv_fds send_fds",
        asyncio: "open_unix_connection start_unix_server",
        time: "clock_gettime clock_gettime_ns pthread_getcpuclockid CLOCK_BOOTTIME CLOCK_MONOTONIC CLOCK_REALTIME",
    },
    "macos": {
        os: "O_DIRECT eventfd memfd_create pipe2 posix_fadvise posix_fallocate sched_getaffinity sched_setaffinity",
        signal: "SIGPOLL SIGRTMIN SIGSTKFLT sigtimedwait sigwaitinfo",
        socket: "AF_NETLINK AF_PACKET SOCK_CLOEXEC SOCK_NONBLOCK SO_PASSCRED SO_PEERCRED",
        time: "CLOCK_BOOTTIME",
    },
}
PROJECT = f"{Path(__file__).resolve().parents[2]}/"

MISSING_FOLDERS = {"windows": ("/proc/", "/sys/", "/dev/", "/etc/", "/var/"), "macos": ("/proc/", "/sys/")}

UNIX_ONLY = {
    "windows": {
        "pond_hw.drivers.mcp3008",  # for the devices of a Pi
        "pond_hw.web.page_address",  # `pond web` needs a Unix socket, and says so
        "pond_hw.web.web_server",
    },
    "macos": set(),
}
"""Modules that can't be imported on a system. No command that runs there imports them."""

TEXT_MODE = set()
"""Descriptors of files opened without O_BINARY, in which Windows changes the ends of lines."""


def become(system):
    """Remove everything that the system lacks from this process."""
    sys.modules.update(dict.fromkeys(MISSING_MODULES[system].split()))  # importing any of them fails
    if system == "windows":
        imitate_files()
        socket.socketpair = partial(
            socket.socketpair, socket.AF_UNIX
        )  # Windows has one, though it is made in another way
        unix_events._UnixSelectorEventLoop.add_signal_handler = asyncio.AbstractEventLoop.add_signal_handler
    for module, names in MISSING_NAMES[system].items():
        for name in filter(module.__dict__.__contains__, names.split()):
            delattr(module, name)
    sys.platform = PLATFORMS[system]
    warnings.filterwarnings("error", category=EncodingWarning, module=r"pond_hw\.")

    def hide_folders(event, arguments):
        path = arguments[0] if event == "open" else None
        is_hidden = isinstance(path, str) and path.startswith(MISSING_FOLDERS[system])
        if is_hidden and path != os.devnull and not path.startswith(PROJECT):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    sys.addaudithook(hide_folders)


def imitate_files():
    """Let files behave as on Windows: text mode without O_BINARY, and no fsync of files that were opened for reading."""
    os.O_BINARY = 1 << 30
    real_open, real_write, real_fsync, writable = os.open, os.write, os.fsync, set()

    def open_file(path, flags, mode=0o777, **options):
        descriptor = real_open(path, flags & ~os.O_BINARY, mode, **options)
        (TEXT_MODE.discard if flags & os.O_BINARY else TEXT_MODE.add)(descriptor)
        (writable.add if flags & (os.O_WRONLY | os.O_RDWR) else writable.discard)(descriptor)
        return descriptor

    def write(descriptor, data):
        if descriptor in TEXT_MODE and b"\n" in bytes(data):
            raise AssertionError("Windows would change the ends of these lines")
        return real_write(descriptor, data)

    def fsync(descriptor):
        if isinstance(descriptor, int) and descriptor not in writable:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        real_fsync(descriptor)

    os.open, os.write, os.fsync = open_file, write, fsync


def find_import_errors():
    """Import all modules. Return the name of each one that fails, with the error."""
    names = sorted(module.name for module in pkgutil.walk_packages(pond_hw.__path__, "pond_hw."))
    errors = {}
    for name in names:
        if not name.endswith("__main__"):
            try:
                importlib.import_module(name)
            except (ImportError, AttributeError, EncodingWarning) as error:
                errors[name] = f"{type(error).__name__}: {error}"
    return errors


def main(system, command, *arguments):
    become(system)
    if command == "imports":
        errors = find_import_errors()
        for name, error in errors.items():
            print(name, error)
        return errors.keys() != UNIX_ONLY[system]
    from pond_hw.commands.main import main as run_pond

    return run_pond([command, *arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
