"""A real Home Assistant in a process of its own, used through its HTTP and WebSocket interfaces as its page uses them."""

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlencode

from websockets.sync.client import connect

from tests.waiting import wait_for

CLIENT = "http://127.0.0.1/"
CONFIGURATION = """\
http:
  server_host: 127.0.0.1
  server_port: {port}
config:
logger:
  default: warning
  logs:
    homeassistant.components.mqtt: info
"""

START_SECONDS = 120


class HomeAssistant:
    """One Home Assistant with its own configuration folder.

    Args:
        environment: environment that it runs in; see `build.Environment`.
        name: name of its configuration folder.
        port: port of its web page.
        more_configuration: more lines of its configuration.
    """

    def __init__(self, environment, name, port, more_configuration=""):
        self._environment, self._port = environment, port
        self._seen, self.folder = environment.make_folder(name)
        (self.folder / "configuration.yaml").write_text(CONFIGURATION.format(port=port) + more_configuration)
        self.log = self.folder / "process.log"
        self._process = self._token = None

    def start(self):
        """Start it, and wait until its page answers."""
        command = self._environment.command("-m", "homeassistant", "--config", self._seen, "--skip-pip")
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        wait_for(self._is_running, "Home Assistant's start", START_SECONDS)

    def _is_running(self):
        assert self._process.poll() is None, self.log.read_text()[-2000:]
        with suppress(OSError, HTTPException, ValueError):
            if self._token is None:
                return isinstance(self._ask("GET", "/api/onboarding"), list)
            return self.get("/api/config")["state"] == "RUNNING"
        return False

    def kill(self):
        """End it like a power cut does."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self):
        """Stop it and wait for the end."""
        self.call("homeassistant", "stop")
        self._process.wait(60)

    def close(self):
        if self._process and self._process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def set_up(self, broker_port):
        """Create the user, and add the MQTT integration as its dialogs do."""
        person = {"name": "Ada", "username": "ada", "password": "pond", "language": "en"}
        code = self._ask("POST", "/api/onboarding/users", {"client_id": CLIENT, **person})["auth_code"]
        form = {"grant_type": "authorization_code", "code": code, "client_id": CLIENT}
        self._token = self._ask("POST", "/auth/token", form, as_form=True)["access_token"]
        flow = self._ask("POST", "/api/config/config_entries/flow", {"handler": "mqtt"})
        broker = {"broker": "127.0.0.1", "port": broker_port}
        done = self._ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", broker)
        assert done["type"] == "create_entry", done
        wait_for(self._has_saved, "saving", 60)

    def _has_saved(self):
        """Return True if the user, the integration and its device are on disk."""
        found = {"auth": "refresh_tokens", "core.config_entries": "mqtt", "core.device_registry": "Pond"}
        files = {self.folder / ".storage" / name: text for name, text in found.items()}
        return all(file.exists() and text in file.read_text() for file, text in files.items())

    def get(self, path):
        return self._ask("GET", path)

    def post(self, path):
        return self._ask("POST", path, {})

    def call(self, domain, service, **fields):
        """Call a service."""
        return self._ask("POST", f"/api/services/{domain}/{service}", fields)

    def states(self, prefix=""):
        """Return the states by entity id."""
        return {
            each["entity_id"]: each["state"] for each in self.get("/api/states") if f".{prefix}" in each["entity_id"]
        }

    def state(self, entity):
        return self.get(f"/api/states/{entity}")

    def picture(self, entity):
        """Return the content type and the data of an image entity."""
        return self._fetch("GET", f"/api/image_proxy/{entity}")

    def list_registry(self, kind):
        """Return the devices or the entities that it knows."""
        with connect(f"ws://127.0.0.1:{self._port}/api/websocket", max_size=None) as socket:
            socket.recv()
            socket.send(json.dumps({"type": "auth", "access_token": self._token}))
            socket.recv()
            socket.send(json.dumps({"id": 1, "type": f"config/{kind}_registry/list"}))
            return json.loads(socket.recv())["result"]

    def _ask(self, method, path, fields=None, *, as_form=False):
        return json.loads(self._fetch(method, path, fields, as_form=as_form)[1])

    def _fetch(self, method, path, fields=None, *, as_form=False):
        connection = HTTPConnection("127.0.0.1", self._port, timeout=20)
        try:
            headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
            headers["Content-Type"] = "application/x-www-form-urlencoded" if as_form else "application/json"
            body = None if fields is None else urlencode(fields) if as_form else json.dumps(fields)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            raise HTTPException(f"{path}: {answer.status} {data[:300]!r}")
        return answer.getheader("Content-Type"), data
