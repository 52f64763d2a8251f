"""Plays the games of same_games.py in a browser."""

from pathlib import Path

from tests.browser import page_table, same_games
from tests.browser.bundle import find_version_folder

PAGE = '<!doctype html><link rel="icon" href="page/icon.svg"><title>Games</title>'

WORKER = """
import { startPython } from "./start_python.js";

self.onmessage = async ({ data: { files, first, last } }) => {
  const python = await startPython();
  python.FS.mkdirTree("/pond/tests/browser");
  for (const [name, text] of Object.entries(files)) python.FS.writeFile(`/pond/tests/${name}`, text);
  const { play_game } = python.pyimport("tests.browser.same_games");
  for (let seed = first; seed <= last; seed += 1) self.postMessage(play_game(seed));
  self.close();
};
"""

PLAY = """({ folder, ...work }) => {
  const worker = new Worker(`${folder}/same_games.js`, { type: "module" });
  globalThis.lines = [];
  worker.onmessage = ({ data }) => globalThis.lines.push(data);
  worker.onerror = ({ message }) => console.error(message);
  worker.postMessage(work);
}"""


def begin_games(site, page, first, last):
    """Begin to play games in a worker of a page of a copied site. The lines are in `lines` of the page."""
    version_folder = find_version_folder(site.folder)
    (version_folder / "same_games.js").write_text(WORKER, "utf-8")
    (site.folder / "same_games.html").write_text(PAGE, "utf-8")
    paths = [Path(module.__file__) for module in (page_table, same_games)]
    files = {f"browser/{path.name}": path.read_text("utf-8") for path in paths}
    files |= {"__init__.py": "", "browser/__init__.py": ""}
    page.goto(f"{site.address}same_games.html")
    page.evaluate(PLAY, {"folder": version_folder.name, "files": files, "first": first, "last": last})
