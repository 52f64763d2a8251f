"""Firefox as a phone: Debian's own build, driven by WebDriver BiDi over a WebSocket.

Playwright only supports its own build of Firefox. These tests do not need much: they open a page, find elements by role
and name as a screen reader does, touch them, and collect complaints about the page.
"""

import json
import re
import subprocess
from contextlib import ExitStack, contextmanager
from time import monotonic, sleep
from urllib.parse import urlsplit

from tests.conftest import require
from tests.web.browser import PATIENCE, PHONE

SETTINGS = {  # all other hosts are behind a proxy that does not exist
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "intl.accept_languages": "en",
    "ui.prefersReducedMotion": 1,
    "dom.w3c_touch_events.enabled": 1,
    # no background tasks
    "browser.startup.page": 0,
    "browser.aboutwelcome.enabled": False,
    "browser.newtabpage.enabled": False,
    "dom.ipc.processPrelaunch.enabled": False,
    "extensions.enabledScopes": 0,
}

SHOW = """async (node) => {
  node.scrollIntoView({block: "center", behavior: "instant"});
  const before = node.getBoundingClientRect();
  await new Promise(requestAnimationFrame);
  const after = node.getBoundingClientRect();
  return before.y === after.y && after.y > 0 && after.bottom < innerHeight;
}"""
"""Script that scrolls to an element and returns whether it stays there."""


@contextmanager
def open_firefox(folder, size=PHONE):
    """Yield a Firefox with one page. At the end, close it with all its processes."""
    require("firefox-esr", "it is another browser than chromium")
    require("websockets", "Firefox is driven by a WebSocket")
    from websockets.sync.client import connect

    settings = "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in SETTINGS.items())
    (folder / "user.js").write_text(settings, encoding="ascii")
    options = ["--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
    with ExitStack() as stack:
        process = subprocess.Popen(
            ["firefox-esr", *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        stack.callback(process.communicate)
        stack.callback(process.terminate)
        lines = iter(process.stderr.readline, "")
        address = next(found[1] for line in lines if (found := re.search(r"BiDi listening on (ws://\S+)", line)))
        driven = stack.enter_context(connect(f"{address}/session", max_size=None, open_timeout=PATIENCE))
        yield Firefox(driven, size)


class Firefox:
    """A page in Firefox.

    Args:
        driven: the WebSocket that controls it.
        size: size of the screen.
    """

    def __init__(self, driven, size):
        self.driven, self.asked, self.complaints, self.home = driven, 0, [], None
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.page = self.send("browsingContext.getTree")["contexts"][0]["context"]
        width, height = size
        self.send("browsingContext.setViewport", context=self.page, viewport={"width": width, "height": height})

    def send(self, method, **parameters):
        """Send a command to the browser. Return its answer."""
        self.asked += 1
        self.driven.send(json.dumps({"id": self.asked, "method": method, "params": parameters}))
        while True:
            heard = json.loads(self.driven.recv(timeout=PATIENCE))
            if heard.get("id") == self.asked:
                assert heard["type"] == "success", heard["message"]
                return heard["result"]
            if heard["type"] == "event":
                self._receive_event(heard["method"], heard["params"])

    def _receive_event(self, method, event):
        if method == "log.entryAdded" and event["level"] in ("warn", "error"):
            self.complaints.append(f"{event['level']}: {event['text']}")
        elif method == "network.beforeRequestSent" and event["context"] == self.page:
            asked = urlsplit(event["request"]["url"])
            if self.home and asked.scheme != "data" and asked.netloc != self.home:
                self.complaints.append(f"requests another host: {event['request']['url']}")

    def open(self, address):
        self.home = urlsplit(address).netloc
        self.send("browsingContext.navigate", context=self.page, url=address, wait="complete")

    def evaluate(self, expression):
        """Return the value of a JavaScript expression, which must be a text, a number or a boolean."""
        target = {"context": self.page}
        answer = self.send("script.evaluate", expression=expression, target=target, awaitPromise=True)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    def find(self, role, name):
        """Wait for an element with this role and exactly this name."""
        return self.wait_for(lambda: self.found(role, name))

    def found(self, role, name):
        locator = {"type": "accessibility", "value": {"role": role, "name": name}}
        nodes = self.send("browsingContext.locateNodes", context=self.page, locator=locator, maxNodeCount=1)["nodes"]
        return nodes[0] if nodes else None

    def touch(self, node):
        """Touch the middle of an element."""
        node, target = {"sharedId": node["sharedId"]}, {"context": self.page}
        show = {"functionDeclaration": SHOW, "target": target, "arguments": [node], "awaitPromise": True}
        self.wait_for(lambda: self.send("script.callFunction", **show)["result"]["value"])
        where = {"type": "element", "element": node}
        steps = [{"type": "pointerMove", "x": 0, "y": 0, "origin": where}]
        steps += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": steps}
        self.send("input.performActions", context=self.page, actions=[finger])

    def wait_for(self, find):
        """Repeat `find` until it finds something. Firefox takes a long time to compute roles, so poll slowly."""
        until = monotonic() + 2 * PATIENCE
        while not (found := find()):
            assert monotonic() < until, "it takes too long"
            sleep(0.3)
        return found
