"""Answers that take a while: a thread finds each of them, so that no lamp waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from pond_hw.messages.message import Message
from pond_hw.server import protocol
from pond_hw.server.request_fields import ProtocolError
from pond_hw.server.socket_server import SocketClient

LOG = logging.getLogger("pond")


class BackgroundAnswers:
    """Finds answers for clients, one of each kind at a time.

    Args:
        ring: called from another thread when an answer is ready.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._answers: SimpleQueue[tuple[str, SocketClient, dict[str, Any]]] = SimpleQueue()
        self._busy_kinds: set[str] = set()

    def find_answer(
        self, kind: str, client: SocketClient, find: Callable[[], dict[str, Any]], *, busy: Message, failed: Message
    ) -> None:
        """Find an answer; it comes later.

        Args:
            kind: of the question.
            client: who asks.
            find: gives the answer; it is called in a thread of its own. What it raises is told to the client.
            busy: what is wrong if an answer of this kind is being looked for already.
            failed: what the client is told if something else than a ProtocolError is raised.

        Raises:
            ProtocolError: an answer of this kind is being looked for already.
        """
        if kind in self._busy_kinds:
            raise ProtocolError(busy)
        self._busy_kinds.add(kind)
        arguments = kind, client, find, failed
        threading.Thread(target=self._find, args=arguments, name=f"answers {kind}", daemon=True).start()

    def send_answers(self) -> None:
        """Send what has been found meanwhile."""
        while True:
            try:
                kind, client, answer = self._answers.get_nowait()
            except Empty:
                return
            self._busy_kinds.discard(kind)
            client.send_message(answer)

    def _find(self, kind: str, client: SocketClient, find: Callable[[], dict[str, Any]], failed: Message) -> None:
        try:
            answer = find()
        except ProtocolError as error:
            answer = protocol.error_message(error.message, client.language)
        except Exception:  # whatever it is, whoever asked is told
            LOG.exception("a question about %s could not be answered", kind)
            answer = protocol.error_message(failed, client.language)
        self._answers.put((kind, client, answer))
        self._ring()
