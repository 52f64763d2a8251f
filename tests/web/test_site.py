"""The page in a process of its own, beside a served board; browsers are played by a WebSocket client."""

import asyncio
import http.client
import json
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from random import Random
from time import monotonic, sleep

import pytest

from tests.conftest import each, first_now_rest_long, need

need("websockets", "it plays the browsers")
need("starlette", "it serves the page")

from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

from pond_hw.web.site import MAX_WATCHERS_OF_ADDRESS, list_page_files  # noqa: E402
from pond_hw.web.watched_board import GONE, Watcher  # noqa: E402

PATIENCE = 20.0
"""Seconds for what takes a moment on a machine that is busy."""


def start(*arguments):
    command = [sys.executable, "-m", "pond_hw", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def stop(process):
    process.terminate()
    process.communicate(timeout=PATIENCE)


def wait_for(find):
    """What `find` finds, as soon as it finds anything."""
    until = monotonic() + PATIENCE
    while not (found := find()):
        assert monotonic() < until, "it takes too long"
        sleep(0.02)
    return found


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Site:
    """A served board and the page that shows it."""

    def __init__(self, folder):
        self.path, self.port = folder / "pond.sock", free_port()
        self.board = self.begin_board()
        self.page = start("web", "--spectators", "--port", self.port, "--socket", self.path)
        assert self.page.stdout.readline() == f"http://127.0.0.1:{self.port}/\n"
        wait_for(self.answers)

    def begin_board(self):
        board = start("serve", "--board", "simulated-4x4", "--names", "Ada,Ben", "--socket", self.path)
        wait_for(self.path.exists)
        return board

    def answers(self):
        with suppress(OSError):
            return self.get("/").status == 200

    def get(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        answer.content = answer.read()
        connection.close()
        return answer

    @contextmanager
    def watch(self, origin=None):
        """Somebody watches; what they hear comes from `hear`."""
        address = f"127.0.0.1:{self.port}"
        with connect(f"ws://{address}/live", origin=origin or f"http://{address}", open_timeout=PATIENCE) as watching:
            yield watching

    def watch_when_let_in(self):
        wait_for(self.answers)
        return self.watch()

    def press(self, cell):
        with socket.socket(socket.AF_UNIX) as finger:
            finger.connect(str(self.path))
            finger.sendall(f'{{"touch":"{cell}"}}\n'.encode())
            finger.shutdown(socket.SHUT_WR)
            while finger.recv(65536):
                pass

    def close(self):
        for process in (self.page, self.board):
            if process.poll() is None:
                stop(process)


@pytest.fixture
def site(folder):
    begun = Site(folder)
    yield begun
    begun.close()


def hear(watching, kind):
    """The next message of this kind."""
    until = monotonic() + PATIENCE
    while monotonic() < until:
        message = json.loads(watching.recv(timeout=PATIENCE))
        if message["type"] == kind:
            return message
    raise AssertionError(f"no {kind} came")


def test_an_evening_with_a_watcher(site):
    """The page comes, shows what is done on the board, and finds the board again after that was stopped."""
    page = site.get("/")
    assert (page.status, page.getheader("content-type")) == (200, "text/html; charset=utf-8")
    assert "default-src 'none'" in page.getheader("content-security-policy")
    assert page.getheader("server") is None
    for path, (content, _) in list_page_files().items():
        assert site.get(path.decode()).content == content
    with site.watch() as watching:
        hello = hear(watching, "hello")
        assert (hello["size"], hello["names"]) == (4, {"light": "Ada", "dark": "Ben"})
        assert hear(watching, "state")["position"].startswith("..../..../..../....")
        site.press("b2")
        state = hear(watching, "state")
        assert state["position"].startswith("..../..../.E../....")
        assert state["message"].startswith("Light placed an egg on b2.")
        assert state["target"] == 10
        assert not {"hint", "legal"} & state.keys()
        stop(site.board)
        assert hear(watching, "gone") == GONE
        site.board = site.begin_board()
        assert hear(watching, "hello")
        assert hear(watching, "state")["position"].startswith("..../..../..../....")


def test_who_says_anything_is_let_go_and_the_board_never_hears_of_it(site):
    with site.watch() as watching:
        hear(watching, "state")
        watching.send('{"touch":"b2"}')
        with pytest.raises(ConnectionClosed) as ended:
            hear(watching, "nothing")
        assert ended.value.rcvd.code == 1008
    with site.watch() as watching:
        assert hear(watching, "state")["position"].startswith("..../..../..../....")


def test_pages_from_elsewhere_and_other_names_are_refused(site):
    with pytest.raises(InvalidStatus) as refused, site.watch(origin="http://evil.example"):
        pass
    assert refused.value.response.status_code == 403
    for path, headers, status in [
        ("/", {"Host": "evil.example"}, 421),
        ("/", {"Origin": "http://evil.example"}, 403),
        ("/page/../gate.py", {}, 404),
        ("/page/%2e%2e/gate.py", {}, 404),
    ]:
        answer = site.get(path, **headers)
        assert (answer.status, answer.content) == (status, b"")
    assert site.get("/", method="POST").status in (400, 405)


HOST = b"Host: 127.0.0.1:PORT\r\n"

STRANGE = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n" + HOST + b"\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET http://127.0.0.1:PORT/ HTTP/1.1\r\n" + HOST + b"\r\n",
    b"\0" * 5000,
    b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 20000 + b"\r\n\r\n",
    b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999999\r\n\r\nabc",
    b"GET / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /live HTTP/1.1\r\n"
    + HOST
    + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n",
    b"GET /page/../../etc/passwd HTTP/1.1\r\n" + HOST + b"\r\n",
    b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n",
    b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + HOST + b"\r\n",
]


def spoil(request, chance):
    """The same request with a few other bytes."""
    return bytes(byte if chance.random() > 0.02 else chance.randrange(256) for byte in request)


@pytest.mark.parametrize("count", first_now_rest_long([60, 1000]))
def test_strange_requests_get_nothing_and_the_board_plays_on(site, count):
    chance, port = Random(count), str(site.port).encode()
    for number in range(count):
        request = STRANGE[number % len(STRANGE)].replace(b"PORT", port)
        is_spoilt = chance.random() < 0.3  # then it may even be a proper one
        with suppress(ConnectionError, TimeoutError), socket.create_connection(("127.0.0.1", site.port)) as stranger:
            stranger.settimeout(0.2)
            stranger.sendall(spoil(request, chance) if is_spoilt else request)
            stranger.shutdown(socket.SHUT_WR)
            answer = stranger.recv(4096)
            assert is_spoilt or not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 101")), request
            assert b"Traceback" not in answer
    site.press("b2")
    with site.watch() as watching:
        assert hear(watching, "state")["position"].startswith("..../..../.E../....")
    stop(site.page)
    assert site.page.returncode == 0


@pytest.mark.long
def test_connections_that_hang_are_ended(site):
    """Half a request, or nothing at all: after five seconds others come in again, and who watches goes on watching."""
    with ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", site.port))) for _ in range(500)]
        for connection in connections[::2]:
            connection.sendall(b"GET / HT")
        assert site.get("/").status == 503
        site.press("b2")
        with site.watch_when_let_in() as watching:
            assert hear(watching, "state")["position"].startswith("..../..../.E../....")
            for connection in connections:
                connection.settimeout(PATIENCE)
                with suppress(ConnectionError):
                    assert connection.recv(1) == b""
            site.press("c3")
            assert hear(watching, "state")["position"].startswith("..../..e./.E../....")


def test_one_address_watches_only_so_often(site):
    with ExitStack() as stack:
        for _ in range(MAX_WATCHERS_OF_ADDRESS):
            hear(stack.enter_context(site.watch()), "state")
        with site.watch() as one_more, pytest.raises(ConnectionClosed) as ended:
            hear(one_more, "state")
        assert ended.value.rcvd.code == 1013
    with site.watch() as later:
        wait_for(lambda: hear(later, "state"))


def test_without_being_told_so_nobody_may_watch(pond):
    code, out, complaint = pond("web")
    assert (code, out) == (2, "")
    assert complaint == (
        "pond: Nobody may watch yet. To let everybody who can open the page watch the game, add --spectators.\n"
    )


def test_a_port_that_is_taken_is_named(pond):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, complaint = pond("web", "--spectators", "--port", port)
    assert code == 2
    assert complaint.startswith(f"pond: Can't listen at 127.0.0.1, port {port}: ")


@each(
    "option, value, reason",
    [
        ("--address", "pond.local", "is no IP address"),
        ("--address", "", "is no IP address"),
        ("--port", "0", "a port is 1 to 65535, not 0"),
        ("--port", "65536", "a port is 1 to 65535, not 65536"),
        ("--port", "http", "is not a whole number"),
    ],
)
def test_addresses_and_ports_that_are_none_are_named(pond, option, value, reason):
    code, out, complaint = pond("web", "--spectators", f"{option}={value}")
    assert (code, out) == (2, "")
    assert reason in complaint
    assert "Traceback" not in complaint


def test_who_is_slow_gets_the_newest_and_forgets_a_board_that_has_gone():
    hello, first, second, third = ({"type": "hello"}, *({"type": "state", "t": t} for t in range(3)))

    async def follow():
        watcher, heard = Watcher([hello, first]), []
        for news in ([second, third], [GONE], [third, GONE, hello, second]):
            for message in news:
                watcher.add(message)
            following = watcher.follow()
            heard.append([await anext(following)])
            with suppress(TimeoutError):
                while True:
                    heard[-1].append(await asyncio.wait_for(anext(following), 0.01))
        return heard

    assert asyncio.run(follow()) == [[hello, third], [GONE], [hello, second]]
