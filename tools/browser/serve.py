"""Serve a folder made by `make browser` on this machine: `make browser-serve`."""

from __future__ import annotations

import argparse
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LOCALHOST = "127.0.0.1"
DEFAULT_PORT = 8000

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}

WORKER_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; base-uri 'none'"
)
"""Content-Security-Policy of the workers. The page's own is in its HTML, and workers do not inherit it."""


class SiteHandler(SimpleHTTPRequestHandler):
    """Answers requests with the files of a folder.

    Args:
        arguments: arguments of the base class.
        prefix: path of the folder's address, such as `/` or `/some/path/`.
        options: more arguments of the base class, such as `directory`.
    """

    extensions_map = CONTENT_TYPES

    def __init__(self, *arguments: Any, prefix: str, **options: Any) -> None:
        self.prefix = prefix
        super().__init__(*arguments, **options)

    def translate_path(self, path: str) -> str:
        if not path.startswith(self.prefix):
            return f"{self.directory}/no such file"
        return super().translate_path(f"/{path.removeprefix(self.prefix)}")

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        if self.path.partition("?")[0].endswith((".js", ".mjs")):
            self.send_header("Content-Security-Policy", WORKER_POLICY)
        super().end_headers()

    def handle(self) -> None:
        with suppress(ConnectionError):  # the browser has closed its page
            super().handle()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing: errors are logged by `log_error`."""


def make_server(folder: Path, port: int, prefix: str = "/") -> ThreadingHTTPServer:
    """Return a server for a folder, on this machine only. Port 0 is any free port."""
    return ThreadingHTTPServer((LOCALHOST, port), partial(SiteHandler, prefix=prefix, directory=str(folder)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--page", default="", help="the page to open (index.html)")
    options = parser.parse_args()
    with make_server(options.folder, options.port) as server:
        print(f"http://{LOCALHOST}:{server.server_address[1]}/{options.page} (Ctrl-C stops it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
