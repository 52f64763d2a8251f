"""Tracer for the system calls with which a program changes files. It can stop the program at a call, or make a call fail.

It works for single-threaded programs on x86-64 Linux, with ptrace through ctypes and a seccomp filter, so that the
program stops only at these calls. It also sees writes to standard output.
"""

import ctypes
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

TRACER_OBSTACLE = (
    None
    if sys.platform == "linux" and os.uname().machine == "x86_64" and sys.maxsize > 2**32
    else "a program is traced on x86-64 Linux only"
)

# By number: name, kind, and the argument whose bits select this kind, or None.
_CREATES = (os.O_CREAT | os.O_TRUNC) if TRACER_OBSTACLE is None else 0
CALLS = {
    1: ("write", "write", None),
    2: ("open", "create", (1, _CREATES)),
    9: ("mmap", "share", (3, 1)),  # MAP_SHARED
    18: ("pwrite64", "write", None),
    20: ("writev", "write", None),
    40: ("sendfile", "other", None),
    74: ("fsync", "sync", None),
    75: ("fdatasync", "sync", None),
    76: ("truncate", "other", None),
    77: ("ftruncate", "truncate", None),
    82: ("rename", "rename", None),
    83: ("mkdir", "mkdir", None),
    84: ("rmdir", "other", None),
    85: ("creat", "other", None),
    86: ("link", "other", None),
    87: ("unlink", "unlink", None),
    88: ("symlink", "other", None),
    257: ("openat", "create", (2, _CREATES)),
    258: ("mkdirat", "mkdir", None),
    263: ("unlinkat", "unlink", None),
    264: ("renameat", "rename", None),
    265: ("linkat", "other", None),
    266: ("symlinkat", "other", None),
    285: ("fallocate", "other", None),
    296: ("pwritev", "write", None),
    316: ("renameat2", "rename", None),
    326: ("copy_file_range", "other", None),
    328: ("pwritev2", "write", None),
}
_BY_PATH = {"open": 0, "rename": 0, "mkdir": 0, "unlink": 0, "truncate": 0, "rmdir": 0, "creat": 0}
_BY_FOLDER = {"openat", "mkdirat", "unlinkat", "renameat", "renameat2"}

_SEIZE, _CONT, _SYSCALL, _INTERRUPT, _SYSCALL_INFO = 0x4206, 7, 24, 0x4207, 0x420E
_GETREGS, _SETREGS = 12, 13
_OPTIONS = 0x1 | 0x80 | 0x100000  # PTRACE_O_TRACESYSGOOD, TRACESECCOMP, EXITKILL
_BY_FILTER, _WALL = 7, 0x40000000
_RAX, _RDX, _ORIG_RAX = 10, 12, 15

# The filter reads struct seccomp_data: the number at 0, the low half of argument i at 16 + 8 i.
_LOAD, _EQUAL, _ANY_BIT, _RETURN, _TRACE, _ALLOW = 0x20, 0x15, 0x45, 0x06, 0x7FF00000, 0x7FFF0000

_LAUNCH = """
import ctypes, json, os, sys
argv, program = json.loads(sys.stdin.buffer.raw.readline())
class FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
code = bytes.fromhex(program)
libc = ctypes.CDLL(None, use_errno=True)
assert not libc.prctl(38, 1, 0, 0, 0)
assert not libc.prctl(22, 2, ctypes.byref(FilterProgram(len(code) // 8, code)), 0, 0)
os.execvp(argv[0], argv)
"""


class Call(NamedTuple):
    """A call that changes files or writes output.

    Attributes:
        name: name of the system call.
        kind: write, sync, truncate, create, rename, mkdir, unlink, said (a write to standard output), or other (a call that
            the disk model does not support).
        path: the file, relative to the traced folder, which is ".".
        offset: where the data is written.
        data: data that is written.
        to: new name.
        size: new size.
        new: True if the call creates the file.
        error: error number, or 0.
    """

    name: str
    kind: str
    path: str
    offset: int = 0
    data: bytes = b""
    to: str = ""
    size: int = 0
    new: bool = False
    error: int = 0


class Fail(NamedTuple):
    """Instruction to make a call fail with this error."""

    error: int


class Short(NamedTuple):
    """Instruction to end a write after `size` bytes."""

    size: int


KILL = "kill"


class Traced:
    """A traced program.

    Args:
        argv: command line of the program.
        root: real path of the folder to trace.
        env, cwd: as for `subprocess.Popen`.

    Attributes:
        calls: calls so far, including failed ones.
        status: return code as in `subprocess.Popen`; None while the program runs.
    """

    def __init__(self, argv, root, env=None, cwd=None):
        self.root, self.calls, self.status = os.path.realpath(root), [], None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the program
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", _LAUNCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=env,
            cwd=cwd,
        )
        self._pid = self._process.pid
        self._ptrace(_SEIZE, data=_OPTIONS)
        self._resume = _CONT
        self._going = True
        self.send([list(map(str, argv)), _filter().hex()])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self._process.stdin.close()
        self._errors.close()

    def send(self, said):
        """Write a line of JSON to the program's standard input."""
        self._process.stdin.write(json.dumps(said).encode() + b"\n")
        self._process.stdin.flush()

    def hang_up(self):
        """Close the program's standard input."""
        self._process.stdin.close()

    def kill(self):
        """Kill the program like `kill -9`. The call at which it is stopped does not take place."""
        if self.status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            while self.status is None:
                self._wait()

    @property
    def complaint(self):
        """Standard error output of the program."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def run(self, before=None, until=None):
        """Run the program to its end.

        Args:
            before: called before each call that changes a file, with the call and its number in this run. It returns `KILL`,
                `Fail`, `Short`, or None to let the call proceed.
            until: predicate on output lines; the program is stopped when it is true.

        Returns:
            The calls of this run.
        """
        first, number = len(self.calls), 0
        while self.status is None:
            call = self._next()
            if call is None:
                continue
            order = None
            if call.kind != "said":
                order = before(call, number) if before else None
                number += 1
            if order == KILL:
                self.kill()
                break
            self.calls.append(self._through(call, order))
            if until and call.kind == "said" and until(call.data.decode()):
                break
        return self.calls[first:]

    def _next(self):
        """Continue to the next relevant call. Return None if the program ends or stops for another reason."""
        self._go()
        status = self._wait()
        if self.status is not None:
            return None
        if status >> 16 == _BY_FILTER:
            return self._read_call()
        if not status >> 16:  # a signal to pass on
            self._signal = os.WSTOPSIG(status)
        return None

    _signal = 0

    def _go(self, how=_CONT):
        if self._going:  # it already runs at the beginning
            self._going = False
            return
        given, self._signal = self._signal, 0
        self._ptrace(how, data=given)

    def _wait(self):
        _, status = os.waitpid(self._pid, _WALL)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            self.status = self._process.returncode = os.waitstatus_to_exitcode(status)
        return status

    def _through(self, call, order):
        """Carry out the call as instructed, and wait for its end."""
        if isinstance(order, Fail):
            self._change(_ORIG_RAX, 2**64 - 1, _RAX, 2**64 - order.error)
        elif isinstance(order, Short):
            self._change(_RDX, order.size)
        self._go(_SYSCALL)
        self._wait()
        if isinstance(order, Fail):
            return call._replace(error=order.error)
        if self.status is not None:
            return call
        info = self._info()
        assert info[0] == 2, "the end of a call was expected"
        result = struct.unpack_from("<q", info, 24)[0]
        if result < 0:
            return call._replace(error=-result)
        return call._replace(data=call.data[:result]) if call.kind == "write" else call

    def _read_call(self):
        """Return the call at which the program is stopped; None if it does not concern a traced file."""
        number, *args = struct.unpack_from("<7Q", self._info(), 24)
        name, kind, _ = CALLS[number]
        if name in _BY_PATH or name in _BY_FOLDER:
            return self._by_path(name, kind, args)
        if name in ("link", "symlink", "linkat", "symlinkat"):
            return Call(name, "other", self._text(args[0 if name == "symlink" else -5 % len(args)]))
        handle = ctypes.c_int(args[4 if name == "mmap" else 0]).value
        if handle == 1 and kind == "write":
            return Call(name, "said", "", data=self._data(name, args))
        path = self._inside(self._of_handle(handle))
        if path is None or (kind == "share" and (path.endswith("-shm") or not args[2] & 2)):
            return None
        if kind == "write":
            return Call(name, kind, path, self._place(name, handle, args), self._data(name, args))
        return Call(name, "other" if kind == "share" else kind, path, size=args[1] if kind == "truncate" else 0)

    def _by_path(self, name, kind, args):
        pairs = [(args[0], args[1]), (args[2], args[3])] if name in _BY_FOLDER else [(-100, args[0]), (-100, args[1])]
        path = self._inside(self._full(*pairs[0]))
        if kind == "rename":
            to = self._inside(self._full(*pairs[1]))
            if path is None and to is None:
                return None
            return Call(name, kind if path and to else "other", path or "?", to=to or "?")
        if path is None:
            return None
        flags = args[2] if name == "openat" else args[1]
        there = os.path.lexists(f"{self.root}/{path}")
        if kind == "create" and there and not flags & os.O_TRUNC:
            return None
        return Call(name, kind, path, new=not there)

    def _place(self, name, handle, args):
        """Return the file offset of a write."""
        if name.startswith("p"):
            return args[3]
        lines = Path(f"/proc/{self._pid}/fdinfo/{handle}").read_text()
        about = dict(line.split(":", 1) for line in lines.splitlines())
        if int(about["flags"], 8) & os.O_APPEND:
            return Path(f"/proc/{self._pid}/fd/{handle}").stat().st_size
        return int(about["pos"])

    def _data(self, name, args):
        if "v" not in name:
            return self._memory(args[1], args[2])
        pieces = self._memory(args[1], 16 * args[2])
        return b"".join(self._memory(*struct.unpack_from("<QQ", pieces, 16 * each)) for each in range(args[2]))

    def _memory(self, where, size):
        memory = os.open(f"/proc/{self._pid}/mem", os.O_RDONLY)
        try:
            return os.pread(memory, size, where)
        finally:
            os.close(memory)

    def _text(self, where):
        text = b""
        while b"\0" not in text:
            size = 4096 - (where + len(text)) % 4096  # stays within a page
            text += self._memory(where + len(text), size)
        return os.fsdecode(text.split(b"\0")[0])

    def _full(self, handle, where):
        handle, path = ctypes.c_int(handle & 0xFFFFFFFF).value, self._text(where)
        beside = Path(f"/proc/{self._pid}/cwd" if handle == -100 else f"/proc/{self._pid}/fd/{handle}")
        return path if path.startswith("/") else f"{beside.readlink()}/{path}"

    def _of_handle(self, handle):
        try:
            return str(Path(f"/proc/{self._pid}/fd/{handle}").readlink())
        except OSError:
            return ""

    def _inside(self, path):
        """Return a path relative to the traced folder; None if it is outside."""
        if path == self.root:
            return "."
        return os.path.normpath(path[len(self.root) + 1 :]) if path.startswith(self.root + "/") else None

    def _info(self):
        info = ctypes.create_string_buffer(88)
        self._ptrace(_SYSCALL_INFO, address=len(info), data=info)
        return info.raw

    def _change(self, *registers):
        values = (ctypes.c_uint64 * 27)()
        self._ptrace(_GETREGS, data=values)
        for register, value in zip(registers[::2], registers[1::2], strict=True):
            values[register] = value
        self._ptrace(_SETREGS, data=values)

    def _ptrace(self, request, address=0, data=0):
        where = ctypes.addressof(data) if isinstance(data, ctypes.Array) else data
        if _ptrace(request, self._pid, address, where) < 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request:#x}: {os.strerror(ctypes.get_errno())}")


def _filter():
    """Build a seccomp filter that stops the program at these calls."""
    code = [(_LOAD, 0, 0, 0)]
    for number, (_, _, bits) in CALLS.items():
        if bits is None:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _TRACE)]
        else:
            code += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, 16 + 8 * bits[0])]
            code += [(_ANY_BIT, 0, 1, bits[1]), (_RETURN, 0, 0, _TRACE), (_RETURN, 0, 0, _ALLOW)]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *each) for each in code)


if TRACER_OBSTACLE is None:
    _ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    _ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    _ptrace.restype = ctypes.c_long
