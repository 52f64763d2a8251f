"""Try the published files as their users would, and print a table: `make try-release`.

pip, pipx and uv get the packages that the wheel needs from this machine's package index. The Debian packages have a longer
trial of their own: `make test-deb`.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from pond_hw import __version__
from tools.release.notes import CHECKSUMS, list_boards, list_published

PYTHONS = ("3.11", "3.12", "3.13")
PREFIX = f"pond-{__version__}"
WHEEL = f"pond_hw-{__version__}-py3-none-any.whl"
SOURCES = f"pond_hw-{__version__}.tar.gz"
SOURCE_TESTS = "tests/rules tests/session tests/lights tests/profile tests/test_manual.py"
"""Tests of the source distribution that take seconds. `make test` in it runs all."""

LOCALHOST = "127.0.0.1"

NAMES = ("sums", "pip", "pipx", "uv", "sources", "browser", "hardware", "pico")
"""Names of the trials."""


class NotTried(Exception):
    """A trial that this machine lacks something for."""


class Failed(Exception):
    """A trial that failed."""


def run(*command, folder=None, given=None, **variables):
    """Return the output of a command, without variables of make and Python."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "MAKE", "MFLAGS", "VIRTUAL_"))
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment | variables,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=1800,
    )
    if done.returncode:
        raise Failed("\n".join(done.stdout.splitlines()[-10:]))
    return done.stdout


def find_python(version):
    """Return a Python of this version, also one that pyenv has but did not activate."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for path in (shutil.which(f"python{version}"), *sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))):
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    raise NotTried(f"no Python {version} on this machine")


def play(pond, home):
    """Play a turn with an installed `pond`, and read its lessons in another language."""
    at_home = partial(run, pond, folder=home, HOME=str(home))
    if at_home("--version").split()[-1] != __version__:
        raise Failed("--version shows another version")
    if '"action":"@b2"' not in at_home("headless", given='{"touch":"b2"}\n'):
        raise Failed("no turn was played")
    if at_home("lessons", "--language", "nl") == at_home("lessons"):
        raise Failed("the lessons are not translated")


def try_pip(wheel, python, folder, _tools):
    run(python, "-m", "venv", folder / "venv")
    run(folder / "venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    play(folder / "venv/bin/pond", folder)


def try_pipx(wheel, python, folder, tools):
    homes = {f"PIPX_{name}": str(folder / name) for name in ("HOME", "BIN_DIR", "MAN_DIR")}
    run(tools / "pipx", "install", "--python", python, wheel, **homes)
    play(folder / "BIN_DIR/pond", folder)
    run(tools / "pipx", "uninstall", "pond-hw", **homes)


def try_uv(wheel, python, folder, tools):
    homes = {f"UV_TOOL_{name}": str(folder / name) for name in ("DIR", "BIN_DIR")}
    run(tools / "uv", "tool", "install", "--python", python, wheel, **homes)
    play(folder / "BIN_DIR/pond", folder)
    run(tools / "uv", "tool", "uninstall", "pond-hw", **homes)


def make_tools(folder):
    """Install pipx and uv in an environment of their own. Return its programs."""
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pipx", "uv")
    return folder / "bin"


def try_sources(sources, folder):
    run("tar", "-xzf", sources, "-C", folder)
    run(
        "make",
        "test",
        f"PYTEST_ARGS={SOURCE_TESTS}",
        f"PYTHON={sys.executable}",
        folder=folder / SOURCES.removesuffix(".tar.gz"),
    )


def try_browser(archive, folder):
    """Play against a program, first from a web server that only has files, then offline."""
    from tests.browser.test_built_page import Visitor
    from tests.web.browser import open_browser

    unzip(archive, folder)
    with serve_files(folder) as (address, stop), open_browser() as browser:
        visitor = Visitor(browser, f"{address}/pond-browser/").open()
        visitor.press("b2")
        visitor.expect_piece("b2", "Light’s")
        visitor.expect_reply()
        visitor.wait_until_offline_works()
        stop()
        visitor.page.reload()
        visitor.expect_piece("b2", "Light’s")
        visitor.close()


@contextmanager
def serve_files(folder):
    """Serve a folder with Python's own web server. Yield its address, and a function that stops it."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer((LOCALHOST, 0), partial(Handler, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()

    def stop():
        server.shutdown()
        server.server_close()
        thread.join()

    try:
        yield f"http://{LOCALHOST}:{server.server_address[1]}", stop
    finally:
        stop()


def try_hardware(archive, folder):
    """Unpack everything, also the Gerber files, and count the guide's pages."""
    unzip(archive, folder)
    (guide,) = folder.glob("*/guide.pdf")
    pages = int(run("pdfinfo", guide).partition("Pages:")[2].split()[0])
    if pages < 10:
        raise Failed(f"the guide has only {pages} pages")
    for inner in folder.glob("*/hardware/*/**/*-gerbers.zip"):
        unzip(inner, folder / "gerbers")


def unzip(archive, folder):
    with zipfile.ZipFile(archive) as file:
        if damaged := file.testzip():
            raise Failed(f"{damaged} is damaged")
        file.extractall(folder)


def try_pico(uf2, folder):
    """Start MicroPython with the published files on an emulated Pico."""
    from tests.pico.test_emulator import BOOTROM, LIBRARY, MICROPYTHON, run_emulator

    for needed in (LIBRARY, BOOTROM, MICROPYTHON):
        if not needed.exists():
            raise NotTried(f"no {needed.name}: see tests/pico/README.md")
    shutil.copy(uf2, folder / "files.uf2")
    if not run_emulator(folder / "files.uf2").get("hello", "").startswith("hello pond "):
        raise Failed("the board says nothing")


def check_sums(folder):
    listed = dict(reversed(line.split()) for line in (folder / CHECKSUMS).read_text("utf-8").splitlines())
    boards = {f"{PREFIX}-hardware-{board}.zip" for board in list_boards()}
    others = {WHEEL, SOURCES, *(f"{PREFIX}-{name}" for name in ("browser.zip", "pico-files.uf2", "release-notes.md"))}
    if missing := boards | others - set(listed):
        raise Failed(f"{min(missing)} is not listed")
    if extra := {path.name for path in list_published(folder)} - set(listed):
        raise Failed(f"{min(extra)} is not listed")
    for name, digest in listed.items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            raise Failed(f"{name} differs")


def list_trials(dist, tools):
    """Return the trials: name, file, how it is tried, and a function of a folder."""
    trials = [("sums", CHECKSUMS, "all files compared", lambda _: check_sums(dist))]
    for name, install in (("pip", try_pip), ("pipx", try_pipx), ("uv", try_uv)):
        for version in PYTHONS:

            def begin(folder, install=install, version=version):
                install(dist / WHEEL, find_python(version), folder, tools)

            trials.append((name, WHEEL, f"{name}, Python {version}: a turn, lessons", begin))
    trials.append(("sources", SOURCES, f"make test: {SOURCE_TESTS}", partial(try_sources, dist / SOURCES)))
    browser = f"{PREFIX}-browser.zip"
    trials.append(
        ("browser", browser, "http.server and Chromium: turns, offline", partial(try_browser, dist / browser))
    )
    trials += [
        ("hardware", archive.name, "unpacked; guide and Gerber files read", partial(try_hardware, archive))
        for archive in (dist / f"{PREFIX}-hardware-{board}.zip" for board in list_boards())
    ]
    pico = f"{PREFIX}-pico-files.uf2"
    trials.append(("pico", pico, "MicroPython on an emulated Pico", partial(try_pico, dist / pico)))
    return trials


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path)
    parser.add_argument("only", nargs="*", help=f"try only these: {', '.join(NAMES)}")
    options = parser.parse_args()
    if unknown := set(options.only) - set(NAMES):
        parser.error(f"there is no {min(unknown)}; choose from {', '.join(NAMES)}")
    outcomes = Counter()
    print("| file | tried by | result | s |\n|---|---|---|---:|", flush=True)
    with tempfile.TemporaryDirectory() as base:
        wants_tools = not options.only or {"pipx", "uv"} & set(options.only)
        tools = make_tools(Path(base, "tools")) if wants_tools else None
        for number, (name, file, how, begin) in enumerate(list_trials(options.dist.resolve(), tools)):
            if options.only and name not in options.only:
                continue
            folder = Path(base, str(number))
            folder.mkdir()
            begun = time.monotonic()
            try:
                begin(folder)
                outcome = result = "passed"
            except NotTried as why:
                outcome, result = "not tried", f"not tried: {why}"
            except Exception as error:  # noqa: BLE001 - the other trials go on
                outcome = result = "failed"
                print(error, file=sys.stderr)
            outcomes[outcome] += 1
            print(f"| {file} | {how} | {result} | {time.monotonic() - begun:.0f} |", flush=True)
            shutil.rmtree(folder)
    print("", ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()), sep="\n")
    sys.exit(outcomes["failed"] > 0)


if __name__ == "__main__":
    main()
