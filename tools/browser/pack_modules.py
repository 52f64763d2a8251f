"""Compile and pack our modules and the standard library. Runs in Pyodide, under Node: see pack_modules.mjs.

Only Pyodide's own Python can parse its standard library and compile for it.
"""

from __future__ import annotations

import ast
import json
import marshal
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path, PurePosixPath
from typing import NamedTuple

POND_FOLDER = "/pond"
"""Folder in the browser that contains our packages."""

DATA_SUFFIXES = {".jsonl", ".mo", ".toml", ".txt", ".xz"}

POND_ROOTS = ("pond_hw.browser.", "pond_hw.engine.worker", "pond_hw.engine.packed.")
"""Beginnings of the names of modules that JavaScript imports, or Python by a computed name."""

LIBRARY_ROOTS = (
    "_pyodide.",
    "encodings.ascii",
    "encodings.latin_1",
    "encodings.utf_8",
    "pyodide._",
    "pyodide.code",
    "pyodide.ffi",
    "pyodide.webloop",
    "site",
)
"""Beginnings of the names of modules that Python or Pyodide itself needs."""

UNUSED_BY_LIBRARY = """
_ast_unparse _py_abc _pydatetime _pyrepl _strptime argparse asyncio.__main__ asyncio.proactor_events asyncio.tools
asyncio.windows_events asyncio.windows_utils bdb calendar cmd code concurrent.futures.interpreter
concurrent.futures.process csv ctypes doctest email encodings.idna ftplib gzip html http importlib.metadata
importlib.resources mimetypes multiprocessing pdb pickle platform plistlib py_compile pydoc pyodide.console
pyodide.http pyodide._nodesock_transport rlcompleter runpy socketserver stringprep sysconfig tarfile tracemalloc
unittest urllib.error urllib.request urllib.response webbrowser xml xmlrpc
"""
"""Modules that the standard library only imports for functions that are not called here."""

UNCHECKED_HASH = (0b01).to_bytes(4, "little")
"""Flags of a .pyc file that is never compared with its source."""

EARLIEST_TIME = (1980, 1, 1, 0, 0, 0)
"""Time of all files in an archive, so that the same sources give the same bytes."""


class Source(NamedTuple):
    """Source of a module, with its path below the folder that contains its package."""

    path: PurePosixPath
    content: bytes

    @property
    def module_name(self) -> str:
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def list_imports(self) -> Iterator[str]:
        """Yield the names of everything that the module imports, also inside functions."""
        for node in ast.walk(ast.parse(self.content)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                package = self.path.parts[: -node.level] if node.level else ()
                module = ".".join([*package, *filter(None, [node.module])])
                yield from (f"{module}.{alias.name}" for alias in node.names)

    def compile(self, folder: str) -> bytes:
        """Return the .pyc file, without docstrings and assertions."""
        code = compile(self.content, f"{folder}/{self.path}", "exec", dont_inherit=True, optimize=2)
        return MAGIC_NUMBER + UNCHECKED_HASH + source_hash(self.content) + marshal.dumps(code)


def find_needed(
    sources: Mapping[str, Source], roots: Iterable[str], unused: frozenset[str] = frozenset()
) -> dict[str, Source]:
    """Return the modules that the roots import directly or indirectly, in the order of their names.

    Imports of `unused` modules and packages are only followed from the roots.
    """
    needed = set[str]()
    waiting = [(name, frozenset[str]()) for name in roots]
    while waiting:
        imported, skipped = waiting.pop()
        parts = imported.split(".")
        for name in (".".join(parts[:end]) for end in range(1, len(parts) + 1)):
            if name in skipped:
                break
            if name in sources and name not in needed:
                needed.add(name)
                waiting += ((each, unused) for each in sources[name].list_imports())
    return {name: sources[name] for name in sorted(needed)}


def read_sources(files: Iterable[tuple[str, bytes]]) -> dict[str, Source]:
    sources = [Source(PurePosixPath(path), content) for path, content in files if path.endswith(".py")]
    return {source.module_name: source for source in sources}


def find_names(sources: Iterable[str], beginnings: tuple[str, ...]) -> list[str]:
    return [name for name in sources if name.startswith(beginnings)]


def pack_pond(modules: Iterable[Source], root: Path) -> bytes:
    """Pack modules and the data files of their top-level packages: a line with names and sizes, then the contents."""
    contents = {str(source.path.with_suffix(".pyc")): source.compile(POND_FOLDER) for source in modules}
    folders = {Path(name).parts[:2] for name in contents} | {("pond_hw", "boards")}
    for path in sorted(root.joinpath("pond_hw").rglob("*")):
        if path.suffix in DATA_SUFFIXES and path.relative_to(root).parts[:2] in folders:
            contents[path.relative_to(root).as_posix()] = path.read_bytes()
    names = sorted(contents, key=lambda name: (Path(name).suffix, name))  # similar files together compress better
    index = json.dumps([[name, len(contents[name])] for name in names], separators=(",", ":"))
    return b"\n".join([index.encode(), b"".join(contents[name] for name in names)])


def pack_library(modules: Iterable[Source], path: Path) -> None:
    """Write an archive of modules. It is not compressed, because the web server compresses it better."""
    with zipfile.ZipFile(path, "w") as archive:
        for source in modules:
            info = zipfile.ZipInfo(str(source.path.with_suffix(".pyc")), EARLIEST_TIME)
            archive.writestr(info, source.compile("/lib"))


def main(root: Path, library: Path, out: Path) -> None:
    """Pack the modules of the project in `root` and of the archive `library`."""
    package = root / "pond_hw"
    pond = read_sources((path.relative_to(root).as_posix(), path.read_bytes()) for path in package.rglob("*.py"))
    pond = find_needed(pond, find_names(pond, POND_ROOTS))
    (out / "pond.pack").write_bytes(pack_pond(pond.values(), root))
    with zipfile.ZipFile(library) as archive:
        sources = read_sources((name, archive.read(name)) for name in archive.namelist())
    imports = [name for source in pond.values() for name in source.list_imports()]
    needed = find_needed(sources, [*imports, *find_names(sources, LIBRARY_ROOTS)], frozenset(UNUSED_BY_LIBRARY.split()))
    pack_library(needed.values(), out / "library.zip")
