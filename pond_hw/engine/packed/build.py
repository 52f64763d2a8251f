"""Compile the kernel for the running Python (`make fast`).

The result is installed in that Python's site-packages folder, never next to the sources.
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
"""Script for setuptools. Hidden symbols can be inlined, which makes the code a third faster."""


def main() -> int:
    """Compile the kernel if it is out of date. Return exit code 0, or 2 after a message on standard error."""
    source_digest = packed.source_digest()
    if not source_digest:
        return _report_failure(f"The source files are missing beside {packed.__file__}.")
    if packed.compiled_kernel():
        print("The compiled kernel is up to date.")
        return 0
    if missing_sentence := missing_tools():
        return _report_failure(
            f"{missing_sentence} The compiled kernel is optional: without it Pond counts and thinks more slowly."
        )
    with TemporaryDirectory() as build_folder:
        # The package needs its own name to coexist with the plain one. The digest is embedded in the first file.
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
            error_text = (build_run.stdout + build_run.stderr)[-2000:]
            return _report_failure(f"The kernel could not be compiled.\n{error_text}")
        try:
            _install_files(Path(build_folder, "out"), Path(sysconfig.get_path("platlib")))
        except OSError as error:
            return _report_failure(f"The compiled kernel cannot be written to {error.filename}: {error.strerror}.")
    # Checked in a new process, because this one may have cached the result.
    check_program = "from pond_hw.engine import packed; raise SystemExit(packed.compiled_kernel() is None)"
    if subprocess.run([sys.executable, "-c", check_program], check=False).returncode:
        return _report_failure("The kernel was compiled, but this Python cannot load it.")
    print("The kernel is compiled, and Pond uses it from now on. POND_KERNEL=plain switches back to the plain one.")
    return 0


def missing_tools() -> str | None:
    for module in ("mypyc", "setuptools"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed. Install it with: {format_install_command('fast')}."
    return missing_compiler()


def missing_compiler() -> str | None:
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if os.name == "posix" and not shutil.which(compiler):
        return f"There is no C compiler ({compiler}); on Debian: sudo apt install gcc libc6-dev python3-dev."
    header_folder = Path(sysconfig.get_path("include"))
    if not (header_folder / "Python.h").is_file():
        return f"Python's headers are not in {header_folder}; on Debian: sudo apt install libc6-dev python3-dev."
    return None


def _install_files(built_folder: Path, target_folder: Path) -> None:
    """Install the built files, each of them atomically, so that an incomplete file is never loaded."""
    for source_file in sorted(built_folder.rglob("*")):
        if not source_file.is_file() or source_file.suffix in (".pyc", ".pyi"):
            continue
        if source_file.suffix == ".py" and source_file.stem != "__init__":
            continue  # no sources, which could be imported instead of compiled modules
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
