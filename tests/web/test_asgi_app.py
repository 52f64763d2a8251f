"""The page as a process beside a served board, with WebSocket clients as browsers."""

import gzip
import http.client
import json
import os
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest

from tests.conftest import each, long_after_first, require

require("websockets", "it plays the browsers")
require("starlette", "it serves the page")

from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

from pond_hw.session import PERMISSION_SECONDS  # noqa: E402
from pond_hw.session.game.permission import UNSEEN_SECONDS  # noqa: E402
from pond_hw.web.asgi_app import MAX_FAULTS  # noqa: E402
from pond_hw.web.bounded_connections import (  # noqa: E402
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_PER_SOURCE,
    RESPONSE_TIMEOUT_SECONDS,
)
from pond_hw.web.page_files import list_page_files  # noqa: E402
from pond_hw.web.page_view import GONE  # noqa: E402
from pond_hw.web.seat_access import MAX_VISITORS, MAX_VISITORS_PER_SOURCE  # noqa: E402
from pond_hw.web.seat_book import COOKIE_NAME  # noqa: E402
from tests.messages.says import assert_refused  # noqa: E402
from tests.waiting import wait_for  # noqa: E402

PATIENCE = 20.0
"""Timeout in seconds for slow machines."""


def start(folder, command, *arguments):
    environment = os.environ | {"XDG_STATE_HOME": str(folder)}
    with (folder / f"{command}.log").open("a") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "pond_hw", command, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment,
        )


def stop(process):
    process.terminate()
    process.communicate(timeout=PATIENCE)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Site:
    """A served board and the page that shows it."""

    def __init__(self, folder, *options):
        self.folder, self.path, self.port = folder, folder / "pond.sock", free_port()
        self.options = options
        self.board = self.start_board()
        self.page = self.start_page()

    def start_board(self):
        board = start(self.folder, "serve", "--board", "simulated-4x4", "--names", "Ada,Ben", "--socket", self.path)
        wait_for(self.path.exists)
        return board

    def start_page(self):
        page = start(self.folder, "web", "--port", self.port, "--socket", self.path, *self.options)
        assert page.stdout.readline() == f"http://127.0.0.1:{self.port}/\n"
        wait_for(self.answers)
        with self.watch() as watching:
            receive(watching, "hello")  # the page is connected to the board
        return page

    def read_log(self):
        """Return the page's log without the lines about the board."""
        lines = (self.folder / "web.log").read_text().splitlines()
        return [line for line in lines if not line.startswith("The board ")]

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
    def watch(self, origin=None, cookie=None, source="127.0.0.1"):
        """Open the page's WebSocket. Read its messages with `receive`."""
        address = f"127.0.0.1:{self.port}"
        headers = {"Cookie": cookie} if cookie else {}
        with connect(
            f"ws://{address}/live",
            origin=origin or f"http://{address}",
            open_timeout=PATIENCE,
            additional_headers=headers,
            source_address=(source, 0),
        ) as watching:
            yield watching

    def take_seat(self, phone, *sides):
        """Ask for a seat on a phone and press the cells that light up on the board.

        Returns:
            The cookie of the seat.
        """
        say(phone, seat=sides)
        self.press_lit_cells(4)
        claim = {"X-Pond-Claim": receive(phone, "granted")["claim"]}
        cookie = self.get("/seat", **claim).getheader("set-cookie").split(";")[0]
        assert self.get("/seat", Cookie=cookie, **claim).getheader("set-cookie") is None
        return cookie

    def press_lit_cells(self, count):
        for pressed in range(count):
            with socket.socket(socket.AF_UNIX) as finger:
                finger.settimeout(PATIENCE)
                finger.connect(str(self.path))
                lines = finger.makefile("rw")
                state = next(line for line in map(json.loads, lines) if "asks" in line)
                assert state["asks"]["pressed"] == pressed
                sleep(max(0.0, UNSEEN_SECONDS - (state["t"] - (state["asks"]["until"] - PERMISSION_SECONDS))))
                self.press(state["asks"]["cell"])
                lines.close()

    def watch_once_admitted(self):
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
    begun = Site(folder, "--spectators")
    yield begun
    begun.close()
    assert begun.read_log() == [], "clients have caused log lines"


@pytest.fixture
def closed_site(folder):
    """A site without spectators."""
    begun = Site(folder)
    yield begun
    begun.close()
    assert begun.read_log() == [], "clients have caused log lines"


def receive(watching, kind, **fields):
    """Return the next message of this type with these fields."""
    until = monotonic() + PATIENCE
    while monotonic() < until:
        message = json.loads(watching.recv(timeout=PATIENCE))
        if message["type"] == kind and all(message[name] == value for name, value in fields.items()):
            return message
    raise AssertionError(f"no {kind} came")


def say(phone, **fields):
    phone.send(json.dumps(fields))


@pytest.mark.slow
def test_spectator_follows_a_game(site):
    """The page shows the moves on the board, and reconnects after the board has stopped."""
    page = site.get("/")
    assert (page.status, page.getheader("content-type")) == (200, "text/html; charset=utf-8")
    assert "default-src 'none'" in page.getheader("content-security-policy")
    assert page.getheader("server") is None
    assert page.getheader("cache-control") == "no-store"
    for path, file in list_page_files().items():
        answer = site.get(path.decode())
        assert answer.content == file.content
        compressed = site.get(path.decode(), **{"Accept-Encoding": "gzip, deflate"})
        assert gzip.decompress(compressed.content) == file.content
        again = site.get(path.decode(), **{"If-None-Match": answer.getheader("etag")})
        assert (again.status, again.content) == (304, b"")
    with site.watch() as watching:
        hello = receive(watching, "hello")
        assert (hello["size"], hello["names"]) == (4, {"light": "Ada", "dark": "Ben"})
        assert receive(watching, "state")["position"].startswith("..../..../..../....")
        site.press("b2")
        state = receive(watching, "state")
        assert state["position"].startswith("..../..../.E../....")
        assert state["message"].startswith("Light placed an egg on b2.")
        assert state["target"] == 10
        assert not {"hint", "legal"} & state.keys()
        stop(site.board)
        assert receive(watching, "gone") == GONE
        site.board = site.start_board()
        assert receive(watching, "hello")
        assert receive(watching, "state")["position"].startswith("..../..../..../....")


@pytest.mark.slow
def test_repeated_invalid_messages_close_the_page(site):
    with site.watch() as watching:
        receive(watching, "state")
        for number in range(MAX_FAULTS):
            watching.send(NONSENSE[number % len(NONSENSE)])
        with pytest.raises(ConnectionClosed) as ended:
            receive(watching, "nothing")
        assert ended.value.rcvd.code == 1008
    with site.watch() as watching:
        watching.send("[" * 2000)
        with pytest.raises(ConnectionClosed) as ended:
            receive(watching, "nothing")
        assert ended.value.rcvd.code == 1009
    with site.watch() as watching:
        assert receive(watching, "state")["position"].startswith("..../..../..../....")


NONSENSE = [
    '{"touch":"b2"}',
    '{"command":"set_up","position":"..../..../..../.... l 13 13 9 9"}',
    '{"command":"seats","seats":[]}',
    '{"command":"new","variant":"../../etc/passwd"}',
    '{"command":"resign","confirm":false}',
    '{"command":"action","action":"@b2","side":"dark"}',
    '{"seat":["dark","light","dark"]}',
    '{"seat":["light"],"command":"undo"}',
    '{"revoke":true}',
    '{"language":"xx"}',
    '{"ask":"record"}',
    b"\xff\xfe",
    "",
    "null",
    "NaN",
]


@pytest.mark.slow
def test_phone_with_a_seat_plays_and_keeps_it(closed_site):
    """The phone sees nothing and can do nothing until the four cells have been pressed."""
    site = closed_site
    with site.watch() as phone:
        assert receive(phone, "you") == {"type": "you", "seat": None, "may_watch": False, "asking": None}
        assert "names" not in receive(phone, "hello")
        say(phone, command="action", action="@b2")
        assert receive(phone, "refused")["message"] == "You have no seat yet. Ask for one first."
        cookie = site.take_seat(phone, "light")
        say(phone, command="action", action="@b2")
        wait_for(lambda: receive(phone, "turns")["turns"])
        say(phone, command="action", action="@b3")
        assert receive(phone, "refused")["message"] == "It's Dark's turn, and your seat isn't for that side."
        say(phone, ask="what_if", action="@c3")
        assert receive(phone, "what_if")["message"].startswith("An egg on c3.")
        say(phone, language="nl")
        assert "Licht" in receive(phone, "state")["message"]
    stop(site.page)
    site.page = site.start_page()
    with site.watch(cookie=cookie) as phone:
        assert receive(phone, "you", seat={"number": 1, "sides": ["light"]})
        say(phone, command="undo")
        assert receive(phone, "turns", turns=[])
    file = next(site.folder.rglob("web-seats.json"))
    assert (file.stat().st_mode & 0o777, cookie.split("=")[1] in file.read_text()) == (0o600, False)


@pytest.mark.slow
def test_phone_and_board_revoke_seats(site):
    with site.watch() as one, site.watch() as other:
        site.take_seat(one, "light")
        cookie = site.take_seat(other, "light", "dark")
        say(other, revoke=1)
        site.press_lit_cells(2)
        receive(one, "you", seat=None)
        say(one, command="action", action="@b2")
        assert receive(one, "refused")
        with socket.socket(socket.AF_UNIX) as terminal:
            terminal.connect(str(site.path))
            terminal.sendall(b'{"command":"revoke"}\n')
            receive(other, "you", seat=None)
    with site.watch(cookie=cookie) as replayed:
        assert receive(replayed, "you")["seat"] is None


@pytest.mark.slow
def test_guessed_tokens_give_no_seat(site):
    with site.watch() as phone:
        site.take_seat(phone, "light", "dark")
    token = "A" * 43
    for cookie in (
        f"{COOKIE_NAME}={token}",
        f"{COOKIE_NAME}=",
        f"{COOKIE_NAME}={'A' * 5000}",
        f"{COOKIE_NAME}={token}; {COOKIE_NAME}={token}",
        f"{COOKIE_NAME}=../web-seats.json",
        "x" * 100,
    ):
        with site.watch(cookie=cookie) as guess:
            assert receive(guess, "you")["seat"] is None
            say(guess, command="action", action="@b2")
            assert receive(guess, "refused")


@pytest.mark.slow
def test_token_from_the_phone_gets_no_seat(site):
    """An attacker who can set a cookie for this host may know the token."""
    planted = f"{COOKIE_NAME}={'A' * 43}"
    with site.watch(cookie=planted) as phone, site.watch(cookie=planted) as attacker:
        cookie = site.take_seat(phone, "light")
        assert cookie != planted
        say(attacker, command="hint")
        assert receive(attacker, "refused")["message"] == "You have no seat yet. Ask for one first."
    for stored, seat in (planted, None), (cookie, {"number": 1, "sides": ["light"]}):
        with site.watch(cookie=stored) as phone:
            assert receive(phone, "you")["seat"] == seat


@pytest.mark.slow
def test_fast_requests_are_refused(site):
    with site.watch() as phone:
        site.take_seat(phone, "light", "dark")
        for _ in range(15):
            say(phone, command="hint")
        assert receive(phone, "refused")["message"] == "That was too fast. Wait a moment."
        site.press("b2")
        wait_for(lambda: receive(phone, "turns")["turns"])


@pytest.mark.slow
def test_resignation_waits_for_a_press(site):
    with site.watch() as phone:
        site.take_seat(phone, "light")
        site.press("b2")
        wait_for(lambda: receive(phone, "turns")["turns"])
        say(phone, command="resign")
        receive(phone, "you")
        assert receive(phone, "you")["asking"]["cells"] == 1
        say(phone, seat=None)  # cancels the request, but keeps the seat
        assert receive(phone, "you", asking=None)["seat"]
    with site.watch() as watching:
        assert receive(watching, "state")["outcome"] is None


@pytest.mark.slow
def test_foreign_origins_and_paths_are_refused(site):
    with pytest.raises(InvalidStatus) as refused, site.watch(origin="http://evil.example"):
        pass
    assert refused.value.response.status_code == 403
    for path, headers, status in [
        ("/", {"Origin": "http://evil.example"}, 403),
        ("/page/../gate.py", {}, 404),
        ("/page/%2e%2e/gate.py", {}, 404),
    ]:
        answer = site.get(path, **headers)
        assert (answer.status, answer.content) == (status, b"")
    assert site.get("/", method="POST").status in (400, 405)


@pytest.mark.slow
def test_wrong_host_gets_the_right_address(site):
    answer = site.get("/<b>?<i>", Host="<script>.example", **{"Accept-Language": "nl"})
    address = f"http://127.0.0.1:{site.port}/".encode()
    assert (answer.status, answer.getheader("content-type")) == (421, "text/html; charset=utf-8")
    assert f'<a href="{address.decode()}">'.encode() in answer.content
    assert b"onder deze naam niet" in answer.content
    for secret in (b"script", b"example", b"<b>", b"<i>"):
        assert secret not in answer.content
    assert "default-src 'none'" in answer.getheader("content-security-policy")
    assert site.get("/", method="HEAD", Host="evil.example").content == b""


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


def change_bytes(request, rng):
    """Return the request with some random bytes."""
    return bytes(byte if rng.random() > 0.02 else rng.randrange(256) for byte in request)


@pytest.mark.slow
@pytest.mark.parametrize("count", long_after_first([60, 1000]))
def test_malformed_requests_are_refused(site, count):
    rng, port = Random(count), str(site.port).encode()
    for number in range(count):
        request = STRANGE[number % len(STRANGE)].replace(b"PORT", port)
        is_changed = rng.random() < 0.3  # which may even give a valid request
        with suppress(ConnectionError, TimeoutError), socket.create_connection(("127.0.0.1", site.port)) as stranger:
            stranger.settimeout(0.2)
            stranger.sendall(change_bytes(request, rng) if is_changed else request)
            stranger.shutdown(socket.SHUT_WR)
            answer = stranger.recv(4096)
            assert is_changed or not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 101")), request
            assert b"Traceback" not in answer
    site.press("b2")
    with site.watch() as watching:
        assert receive(watching, "state")["position"].startswith("..../..../.E../....")
    stop(site.page)
    assert site.page.returncode == 0


def handshake(site, *more):
    """Return a WebSocket handshake with additional headers."""
    lines = [
        "GET /live HTTP/1.1",
        f"Host: 127.0.0.1:{site.port}",
        f"Origin: http://127.0.0.1:{site.port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *more,
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def open_stubborn(site, stack, count):
    """Open connections that read almost nothing."""
    opened = []
    for _ in range(count):
        stubborn = stack.enter_context(socket.socket())
        stubborn.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        stubborn.settimeout(PATIENCE)
        stubborn.connect(("127.0.0.1", site.port))
        opened.append(stubborn)
    return opened


def wait_until_ended(connections):
    for connection in connections:
        with suppress(ConnectionError):
            while connection.recv(65536):
                pass


@pytest.mark.slow
def test_connections_of_one_address_are_limited(site):
    with ExitStack() as stack:
        connections = open_stubborn(site, stack, 3 * MAX_CONNECTIONS_PER_SOURCE)
        wait_until_ended(connections[:-MAX_CONNECTIONS_PER_SOURCE])
        connections[-1].setblocking(False)
        with pytest.raises(BlockingIOError):
            connections[-1].recv(1)  # the newest ones are still open
        assert site.get("/").status == 200


@pytest.mark.slow
def test_many_strangers_do_not_block_the_page(site):
    with ExitStack() as stack:
        watching = stack.enter_context(site.watch())
        site.take_seat(watching, "light")
        for number in range(2 * MAX_CONNECTIONS):
            source = f"127.0.0.{2 + number % 8}", 0
            stack.enter_context(socket.create_connection(("127.0.0.1", site.port), source_address=source))
            if number % 20 == 0:
                assert site.get("/").status == 200
        site.press("b2")
        wait_for(lambda: receive(watching, "turns")["turns"])


@pytest.mark.slow
def test_many_strangers_leave_room_for_seats(site):
    with site.watch() as phone:
        cookie = site.take_seat(phone, "light")
    with ExitStack() as stack:
        strangers = [
            stack.enter_context(site.watch(source=f"127.0.0.{2 + number % 8}"))
            for number in range(MAX_VISITORS + MAX_VISITORS_PER_SOURCE)
        ]
        with site.watch(source="127.0.0.40") as family:
            assert receive(family, "state")
        for _ in range(MAX_VISITORS_PER_SOURCE):
            phone = stack.enter_context(site.watch(cookie=cookie))
            assert receive(phone, "you")["seat"]
        for stranger in strangers[-8:]:
            with pytest.raises(ConnectionClosed) as ended:
                receive(stranger, "nothing")
            assert ended.value.rcvd.code == 1013
        say(phone, command="action", action="@b2")
        wait_for(lambda: receive(phone, "turns")["turns"])


@pytest.mark.long
def test_hanging_connections_are_closed(site):
    """Their clients send half a request, an endless handshake or nothing, or do not read answers."""
    beginnings = [
        b"",
        b"GET / HT",
        handshake(site, "Content-Length: 900"),
        handshake(site, "Transfer-Encoding: chunked"),
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n".encode() * 40,
    ]
    with ExitStack() as stack:
        connections = open_stubborn(site, stack, 20)
        for number, connection in enumerate(connections):
            with suppress(ConnectionError):
                connection.sendall(beginnings[number % len(beginnings)])
        site.press("b2")
        with site.watch_once_admitted() as watching:
            assert receive(watching, "state")["position"].startswith("..../..../.E../....")
            sleep(RESPONSE_TIMEOUT_SECONDS + 2)
            wait_until_ended(connections)
            site.press("c3")
            assert receive(watching, "state")["position"].startswith("..../..e./.E../....")


def masked(opcode, payload):
    """Return a frame as a browser sends it."""
    return bytes([opcode, 0x80 | len(payload)]) + bytes(4) + payload


LAST_FRAMES = [
    b"",
    masked(0x01, b"x"),
    masked(0x01, b"\xff"),
    masked(0x02, b"x"),
    masked(0x03, b""),
    masked(0x08, b""),
    masked(0x08, b"\x00"),
    masked(0x89, b"x"),
    b"\x81\xff" + b"\xff" * 12,
    b"\x81\x01x",
    b"\xc1\x80" + bytes(4),
]
"""Last frames that a client sends, some of them broken."""


@pytest.mark.slow
def test_leaving_clients_write_no_log(site):
    talk = b"".join(masked(0x81, text) for text in [b"x", b'{"language":"nl"}'])
    with ExitStack() as stack:
        watching = stack.enter_context(site.watch())
        for number in range(40 * len(LAST_FRAMES)):
            with suppress(OSError), socket.create_connection(("127.0.0.1", site.port)) as client:
                client.settimeout(PATIENCE)
                client.sendall(handshake(site))
                assert client.recv(12) == b"HTTP/1.1 101"  # an earlier frame would be lost
                client.sendall(number % 40 * talk + LAST_FRAMES[number % len(LAST_FRAMES)])
                if number % 3 == 0:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1" + bytes(7))  # reset instead of close
                elif number % 3 == 1:
                    client.settimeout(0.05)
                    wait_until_ended([client])
        site.press("b2")
        wait_for(lambda: receive(watching, "turns")["turns"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "flood",
    [500 * masked(0x89, b"x" * 125), masked(0x01, b"") + 10000 * masked(0x00, b"")],
    ids=["pings", "scraps"],
)
def test_flooding_websocket_is_closed(site, flood):
    with ExitStack() as stack:
        [flooding] = open_stubborn(site, stack, 1)
        flooding.sendall(handshake(site))
        assert flooding.recv(12) == b"HTTP/1.1 101"
        with suppress(ConnectionError):
            flooding.sendall(flood)
        wait_until_ended([flooding])
        assert read_resident_megabytes(site.page.pid) < 80
    assert site.get("/").status == 200


def read_resident_megabytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


@pytest.mark.slow
def test_visitors_of_one_address_are_limited(site):
    with ExitStack() as stack:
        for _ in range(MAX_VISITORS_PER_SOURCE):
            receive(stack.enter_context(site.watch()), "state")
        with site.watch() as one_more, pytest.raises(ConnectionClosed) as ended:
            receive(one_more, "state")
        assert ended.value.rcvd.code == 1013
    with site.watch() as later:
        wait_for(lambda: receive(later, "state"))


def test_port_in_use_is_reported(pond):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, complaint = pond("web", "--spectators", "--port", port)
    assert code == 2
    assert complaint.startswith(f"pond: Can't listen on 127.0.0.1, port {port}: ")


@each(
    "option, value, reason",
    [
        ("--address", "pond.local", "isn't an IP address"),
        ("--address", "", "isn't an IP address"),
        ("--port", "0", "the port must be 1 to 65535, not 0"),
        ("--port", "65536", "the port must be 1 to 65535, not 65536"),
        ("--port", "http", "is not a whole number"),
    ],
)
def test_invalid_address_and_port_are_reported(pond, option, value, reason):
    assert_refused(pond("web", "--spectators", f"{option}={value}"), reason)
