"""The page's connection to the board, even if the board sends nonsense."""

import asyncio
import json

import pytest

from pond_hw.rules import STANDARD
from pond_hw.server import board_connection, protocol
from pond_hw.server.board_connection import MAX_BOARD_LINE_BYTES
from pond_hw.session import Session
from pond_hw.web.socket_board_link import SocketBoardLink

SESSION = Session.start_game(STANDARD)
HELLO = protocol.hello_message(SESSION, 4, {})
STATE = protocol.state_message(SESSION.view, 1.0)


NONSENSE = {
    "endless": b"x" * (MAX_BOARD_LINE_BYTES + 10),
    "empty": b"{}\n",
    "a list": b"[]\n",
    "a number": b"1\n",
    "no text": b"\xff\n",
    "half a state": b'{"type":"state"}\n',
    "no game": b'{"type":"record","record":"1. @z9"}\n',
}


@pytest.fixture(autouse=True)
def no_patience(monkeypatch):
    """Reconnect without delay."""
    monkeypatch.setattr(board_connection, "RETRY_SECONDS", (0.01,))


@pytest.mark.parametrize("nonsense", NONSENSE.values(), ids=NONSENSE)
def test_invalid_board_is_reconnected(folder, nonsense):
    async def evening():
        visits = []

        async def board(_, writer):
            visits.append(writer)
            lines = (HELLO, STATE) if len(visits) > 1 else ()
            writer.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines) or nonsense)
            await writer.drain()

        server = await asyncio.start_unix_server(board, folder / "pond.sock")
        link, has_found = SocketBoardLink([folder / "pond.sock"]), asyncio.Event()
        link.on_change = lambda: has_found.set() if link.state else None
        listening = asyncio.create_task(link.run())
        await asyncio.wait_for(has_found.wait(), 20)
        listening.cancel()
        for writer in visits:
            writer.close()
        server.close()
        await asyncio.sleep(0.01)
        return len(visits), link.hello["size"]

    assert asyncio.run(evening()) == (2, 4)


def test_lost_board_is_reported_before_the_next_board(folder):
    async def evening():
        async def close_at_once(_, writer):
            for line in (HELLO, STATE):
                writer.write(json.dumps(line).encode() + b"\n")
            await writer.drain()
            writer.close()

        paths = [folder / "one.sock", folder / "other.sock"]
        servers = [await asyncio.start_unix_server(close_at_once, path) for path in paths]
        link, seen = SocketBoardLink(paths), []
        link.on_change = lambda: seen.append(link.state is not None)
        listening = asyncio.create_task(link.run())
        while seen.count(False) < 3:
            await asyncio.sleep(0.01)
        listening.cancel()
        for server in servers:
            server.close()
        await asyncio.sleep(0.01)
        return seen

    seen = asyncio.run(evening())
    first_gone = [number for number, is_there in enumerate(seen) if not is_there and number and seen[number - 1]]
    assert len(first_gone) >= 2, "each board that went was missed"
