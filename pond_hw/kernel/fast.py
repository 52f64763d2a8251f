"""Compiles turns.py for the Python that runs this: `make fast`, or `python -m pond_hw.kernel.fast`.

What comes of it lies beside the other installed packages of that Python (in `.venv`), never among the sources.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

from pond_hw import kernel
from pond_hw.kernel import turns

SETUP = """
import os

from mypyc.build import mypycify
from setuptools import setup

extensions = mypycify(["--config-file=", "{name}.py"])
if os.name == "posix":
    for extension in extensions:
        extension.extra_compile_args.append("-fvisibility=hidden")
setup(name="{name}", version="0", ext_modules=extensions)
"""
"""What setuptools is told. A function that nobody outside can see may be built into its callers: a third faster."""


def main() -> int:
    """Compile turns.py, unless that has been done; the exit code is 0, or 2 after a sentence on standard error."""
    digest = kernel.source()
    if not digest:
        return _refuse(f"{turns.__file__} is not here, and only a source can be compiled.")
    if kernel.compiled_turns():
        print("The compiled kernel is there already, and was made from this very source.")
        return 0
    if why := lacking():
        return _refuse(f"{why} Nothing needs the compiled kernel: without it Pond counts and thinks more slowly.")
    with TemporaryDirectory() as folder:
        # A text of another name can be had beside the plain one; its digest travels inside.
        text = Path(turns.__file__).read_text(encoding="utf-8")
        Path(folder, f"{kernel.COMPILED}.py").write_text(f'{text}\nSOURCE: Final = "{digest}"\n', encoding="utf-8")
        Path(folder, "setup.py").write_text(SETUP.format(name=kernel.COMPILED), encoding="utf-8")
        command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", "out"]
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        made = [*Path(folder, "out").glob(f"{kernel.COMPILED}.*")]
        if built.returncode or not made:
            return _refuse(f"The kernel could not be compiled.\n{(built.stdout + built.stderr)[-2000:]}")
        try:
            _put(made[0], Path(sysconfig.get_path("platlib")))
        except OSError as error:
            return _refuse(f"The compiled kernel cannot be put into {error.filename}: {error.strerror}.")
    # Asked of a fresh Python: this one may have looked for it in vain, or loaded the one before.
    ask = "from pond_hw import kernel; raise SystemExit(kernel.compiled_turns() is None)"
    if subprocess.run([sys.executable, "-c", ask], check=False).returncode:
        return _refuse("The kernel was compiled, but this Python does not load it.")
    print("The kernel is compiled, and used from now on; POND_KERNEL=plain has the plain one again.")
    return 0


def lacking() -> str | None:
    """What compiling needs and this machine has not, as sentences that say where to get it; None if all is there."""
    for module in ("mypyc", "setuptools"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed; `make fast` installs it, or: pip install 'pond-hw[fast]'."
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if os.name == "posix" and not shutil.which(compiler):
        return f"There is no C compiler ({compiler}); on Debian it comes with: sudo apt install gcc libc6-dev."
    headers = Path(sysconfig.get_path("include"))
    if not (headers / "Python.h").is_file():
        return f"Python's headers are not in {headers}; on Debian they come with: sudo apt install python3-dev."
    return None


def _put(made: Path, folder: Path) -> None:
    """Put it there in one step, so that nobody ever loads half of it."""
    beside = folder / f"{made.name}.{os.getpid()}"
    try:
        shutil.copyfile(made, beside)
        beside.replace(folder / made.name)
    finally:
        beside.unlink(missing_ok=True)


def _refuse(sentence: str) -> int:
    print(f"make fast: {sentence}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
