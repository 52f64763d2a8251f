"""The page of `make browser`, built once for all tests, and served under a sub-path."""

import fcntl
from contextlib import contextmanager
from threading import Thread

from tests.conftest import require
from tests.web.browser import LOCALHOST
from tools.browser import build
from tools.browser.serve import make_server

PREFIX = "/some/path/"


def build_once(tmp_path_factory, worker_id):
    """Return the folder of the built page. The processes of pytest-xdist share it."""
    require("node", "it compiles the modules: sudo apt install nodejs")
    require("npm", "it installs Pyodide: sudo apt install npm")
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "browser"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "service_worker.js").exists():
            build.main(folder)
    return folder


class SiteServer:
    """A web server for a folder, in a thread of this process.

    Attributes:
        folder: the folder that is served; it may be replaced.
        port: the port, which stays the same after a restart.
    """

    def __init__(self, folder):
        self.folder, self.port, self.server = folder, 0, None
        self.start()

    @property
    def address(self):
        return f"http://{LOCALHOST}:{self.port}{PREFIX}"

    def start(self):
        self.server = make_server(self.folder, self.port, PREFIX)
        self.port = self.server.server_address[1]
        self.thread = Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.thread.join()
            self.server = None

    def replace(self, folder):
        """Serve another folder at the same address."""
        self.stop()
        self.folder = folder
        self.start()


@contextmanager
def serve(folder):
    server = SiteServer(folder)
    try:
        yield server
    finally:
        server.stop()
