"""Compiles the kernel for the Python that runs this: `make fast`, or `python -m pond_hw.engine.packed.build`.

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

from pond_hw.engine import packed
from pond_hw.optional_packages import format_install_command

SETUP_SCRIPT = """
import os

from mypyc.build import mypycify
from setuptools import setup

extensions = mypycify(["--config-file=", *{files}], group_name="{name}")
if os.name == "posix":
    for extension in extensions:
        extension.extra_compile_args.append("-fvisibility=hidden")
setup(name="{name}", version="0", packages=["{name}"], ext_modules=extensions)
"""
"""What setuptools is told. A function that nobody outside can see may be built into its callers: a third faster."""


def main() -> int:
    """Compile the kernel, unless that has been done; the exit code is 0, or 2 after a sentence on standard error."""
    source_digest = packed.source_digest()
    if not source_digest:
        return _report_failure(f"The sources are not beside {packed.__file__}, and only a source can be compiled.")
    if packed.compiled_kernel():
        print("The compiled kernel is there already, and up to date.")
        return 0
    if missing_sentence := missing_tools():
        return _report_failure(
            f"{missing_sentence} Nothing needs the compiled kernel: without it Pond counts and thinks more slowly."
        )
    with TemporaryDirectory() as build_folder:
        # A package of another name can be had beside the plain one; the digest of all travels inside the first file.
        package_folder = Path(build_folder, packed.COMPILED_PACKAGE)
        package_folder.mkdir()
        Path(package_folder, "__init__.py").touch()
        file_names = list[str]()
        for name, module in packed.PLAIN_KERNEL._asdict().items():
            source_text = Path(str(module.__file__)).read_text(encoding="utf-8")
            source_text = source_text.replace("pond_hw.engine.packed", packed.COMPILED_PACKAGE)
            if name == "rules":
                source_text += f'\nSOURCE: Final = "{source_digest}"\n'
            file_names.append(f"{packed.COMPILED_PACKAGE}/{name}.py")
            Path(build_folder, file_names[-1]).write_text(source_text, encoding="utf-8")
        setup_script = SETUP_SCRIPT.format(name=packed.COMPILED_PACKAGE, files=file_names)
        Path(build_folder, "setup.py").write_text(setup_script, encoding="utf-8")
        command = [sys.executable, "setup.py", "-q", "build", "--build-lib", "out"]
        build_run = subprocess.run(command, cwd=build_folder, capture_output=True, text=True, check=False)
        if build_run.returncode or not [*Path(build_folder, "out").glob(f"{packed.COMPILED_PACKAGE}*.*")]:
            complaints = (build_run.stdout + build_run.stderr)[-2000:]
            return _report_failure(f"The kernel could not be compiled.\n{complaints}")
        try:
            _install_files(Path(build_folder, "out"), Path(sysconfig.get_path("platlib")))
        except OSError as error:
            return _report_failure(f"The compiled kernel cannot be put into {error.filename}: {error.strerror}.")
    # Asked of a fresh Python: this one may have looked for it in vain, or loaded the one before.
    check_program = "from pond_hw.engine import packed; raise SystemExit(packed.compiled_kernel() is None)"
    if subprocess.run([sys.executable, "-c", check_program], check=False).returncode:
        return _report_failure("The kernel was compiled, but this Python does not load it.")
    print("The kernel is compiled, and Pond uses it from now on. POND_KERNEL=plain switches back to the plain one.")
    return 0


def missing_tools() -> str | None:
    """What compiling needs and this machine has not, as sentences that say where to get it; None if all is there."""
    for module in ("mypyc", "setuptools"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed. Install it with: {format_install_command('fast')}."
    return missing_compiler()


def missing_compiler() -> str | None:
    """What is missing to compile anything for this Python, and where to get it; None if all is there."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if os.name == "posix" and not shutil.which(compiler):
        return f"There is no C compiler ({compiler}); on Debian: sudo apt install gcc libc6-dev python3-dev."
    header_folder = Path(sysconfig.get_path("include"))
    if not (header_folder / "Python.h").is_file():
        return f"Python's headers are not in {header_folder}; on Debian: sudo apt install libc6-dev python3-dev."
    return None


def _install_files(built_folder: Path, target_folder: Path) -> None:
    """Put everything that was made there, each file in one step, so that nobody ever loads half of one."""
    for source_file in sorted(built_folder.rglob("*")):
        if not source_file.is_file() or source_file.suffix in (".pyc", ".pyi"):
            continue
        if source_file.suffix == ".py" and source_file.stem != "__init__":
            continue  # the texts stay out: what is not compiled is never to be taken for it
        target_file = target_folder / source_file.relative_to(built_folder)
        target_file.parent.mkdir(exist_ok=True)
        temporary_file = target_file.with_name(f"{target_file.name}.{os.getpid()}")
        try:
            shutil.copyfile(source_file, temporary_file)
            temporary_file.replace(target_file)
        finally:
            temporary_file.unlink(missing_ok=True)


def _report_failure(sentence: str) -> int:
    print(f"make fast: {sentence}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
