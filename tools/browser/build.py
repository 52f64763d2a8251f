"""Build the page that runs in a browser alone, as a folder of static files: `make browser`.

    index.html           the page, with all its scripts, and the position with which a game begins
    board.html           a small board for pages of the manual
    service_worker.js    makes the page work offline
    about/, licences/    the owners of the game and of the programs
    VERSION/             Python, our modules and the scripts of the workers, named after their content

The same sources give the same bytes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from pond_hw.browser.page_board import BoardStart, PageBoard
from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.web.page_files import (
    CONTENT_TYPES,
    MAIN_MODULE,
    PAGE_FOLDER,
    PageHtml,
    fill_words,
    format_data,
    format_json,
    hash_content,
    join_modules,
    list_words,
    read_modules,
)

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SITE = ROOT / "pond_hw" / "browser" / "site"
LIVE_BOARD = ROOT / "pond_hw" / "browser" / "live_board"

LIVE_BOARD_STYLES = (PAGE_FOLDER / "base.css", PAGE_FOLDER / "board.css", SITE / "own.css", SITE / "site.css")
"""Style sheets that the small board shares with the page."""

NODE_FOLDER = ROOT / "build" / "browser"
"""Folder in which the packages of package-lock.json are installed."""

WORKER_SCRIPTS = ("game_worker.js", "start_python.js", "thinker.js")
PYODIDE_FILES = ("pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.mjs")
COUNTED_FILES = ("library.zip", "pond.pack", "pyodide.asm.wasm")
"""Files whose bytes the progress bar counts."""

PAGE_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src {styles}; img-src 'self'; connect-src 'self'; worker-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy of the page."""


def main(folder: Path) -> None:
    """Build the page into a folder, after deleting what is there."""
    pyodide = install_pyodide()
    shutil.rmtree(folder, ignore_errors=True)
    unnamed = folder / "version"
    unnamed.mkdir(parents=True)
    fill_version_folder(unnamed, pyodide)
    version_folder = unnamed.rename(folder / hash_files(unnamed))
    (folder / "page").mkdir()
    for path in PAGE_FOLDER.iterdir():
        if path.suffix in CONTENT_TYPES:
            shutil.copy(path, folder / "page")
    shutil.copytree(HERE / "licences", folder / "licences")
    shutil.copy(ROOT / "LICENSE", folder / "licences" / "pond.txt")
    (folder / "about").mkdir()
    (folder / "about" / "index.html").write_text(format_about(pyodide), "utf-8")
    (folder / "index.html").write_text(format_page(version_folder), "utf-8")
    (folder / "service_worker.js").write_text(format_service_worker(folder), "utf-8")
    (folder / "board.html").write_text(format_live_board(version_folder), "utf-8")  # the service worker doesn't keep it
    print(f"{folder}/index.html")


def install_pyodide() -> Path:
    """Install the packages of package-lock.json unless they are installed already. Return the folder of Pyodide."""
    if not (shutil.which("node") and shutil.which("npm")):
        raise SystemExit("make browser needs node and npm: sudo apt install nodejs npm")
    NODE_FOLDER.mkdir(parents=True, exist_ok=True)
    lock, stamp = (HERE / "package-lock.json").read_bytes(), NODE_FOLDER / "installed-lock.json"
    if not stamp.exists() or stamp.read_bytes() != lock:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, NODE_FOLDER)
        options = ["--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(["npm", "ci", *options], cwd=NODE_FOLDER, check=True)
        stamp.write_bytes(lock)
    return NODE_FOLDER / "node_modules" / "pyodide"


def fill_version_folder(folder: Path, pyodide: Path) -> None:
    subprocess.run(["node", HERE / "pack_modules.mjs", pyodide, ROOT, folder], check=True)
    for name in PYODIDE_FILES:
        shutil.copyfile(pyodide / name, folder / name)
    for name in WORKER_SCRIPTS:
        shutil.copyfile(SITE / name, folder / name)
    lock = {"info": read_lock_info(pyodide), "packages": {}}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), "utf-8")


def read_lock_info(pyodide: Path) -> dict[str, str]:
    info: dict[str, str] = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))["info"]
    return info


def hash_files(folder: Path) -> str:
    files = sorted((path.relative_to(folder).as_posix(), path.read_bytes()) for path in list_files(folder))
    return sha256(repr([(name, sha256(content).hexdigest()) for name, content in files]).encode()).hexdigest()[:12]


def list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def format_about(pyodide: Path) -> str:
    """Return the page about the owners, with the versions of Pyodide and Python."""
    versions = json.loads((pyodide / "package.json").read_text("utf-8"))["version"], read_lock_info(pyodide)["python"]
    text = (SITE / "about.html").read_text("utf-8")
    return text.replace("PYODIDE_VERSION", versions[0]).replace("PYTHON_VERSION", versions[1])


def format_page(version_folder: Path) -> str:
    """Return the page, with the position with which a game begins in all languages."""
    html = PageHtml(SITE)
    page = html.format("en", [], compress=False).decode()
    beginnings = {language: list_beginning(language) for language in LANGUAGES}
    return add_build(page, version_folder, html.script_source, html.style_source, {"beginnings": beginnings})


def format_live_board(version_folder: Path) -> str:
    """Return the page with only a small board, in English."""
    script = join_modules(read_modules(PAGE_FOLDER, SITE, LIVE_BOARD), MAIN_MODULE)
    styles = "".join(path.read_text("utf-8") for path in (*LIVE_BOARD_STYLES, *LIVE_BOARD.glob("*.css")))
    words = list_words("en", own=True)
    page = fill_words((LIVE_BOARD / "board.html").read_text("utf-8"), words)
    page = page.replace("</head>", f"<style>{styles}</style>\n</head>")
    scripts = f'{format_data("words", format_json({"en": words})).decode()}<script type="module">{script}</script>\n'
    page = page.replace("</body>", f"{scripts}</body>")
    script_source, style_source = (f"'{hash_content(text.encode())}'" for text in (script, styles))
    return add_build(page, version_folder, script_source, style_source, {})


def add_build(page: str, version_folder: Path, script_source: str, style_source: str, more: dict[str, Any]) -> str:
    """Add a policy to a page, the script for old browsers, and where its board is."""
    first_script = (SITE / "old_browser.js").read_text("utf-8")
    scripts = f"'{hash_content(first_script.encode())}' {script_source}"
    policy = PAGE_POLICY.format(scripts=scripts, styles=style_source)
    size = sum((version_folder / name).stat().st_size for name in COUNTED_FILES)
    build = format_data("build", format_json({"folder": version_folder.name, "bytes": size, **more})).decode()
    page = page.replace("<head>", f'<head>\n<meta http-equiv="content-security-policy" content="{policy}">', 1)
    module = '<script type="module">'
    return page.replace(module, f"{build}<script>{first_script}</script>\n{module}", 1)


def list_beginning(language: str) -> list[dict[str, Any]]:
    """Return the messages with which a new board begins."""
    board = PageBoard(None, lambda _: None, lambda: None, start=BoardStart(language=language))
    try:
        return list(map(json.loads, board.news()))
    finally:
        board.close()


def format_service_worker(folder: Path) -> str:
    """Return the service worker with the version and the files of this build."""
    hashes = {path.relative_to(folder).as_posix(): hash_content(path.read_bytes()) for path in list_files(folder)}
    # A web server may redirect these names to the folders.
    files = {name.removesuffix("index.html") or "./": source for name, source in hashes.items()}
    version = sha256(json.dumps(files).encode()).hexdigest()[:12]
    script = (SITE / "service_worker.js").read_text("utf-8")
    return script.replace('JSON.parse("BUILD")', json.dumps({"version": version, "files": files}, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
