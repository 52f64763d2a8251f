"""Sentences about the link to another home, for screens."""

from __future__ import annotations

from pond_hw.messages.message import Message, as_message
from pond_hw.session.game.link_changes import describe_asked
from pond_hw.session.game.link_view import LinkChange, LinkView, NewGameChange, TakeBackChange

PRESENT_SECONDS = 20 * 60
"""Maximum age in seconds of the last message from a home that is there. Each home sends one every 15 minutes."""

_UNITS = (("days", 24 * 3600), ("hours", 3600), ("minutes", 60))


def describe_link(link: LinkView, now: float) -> tuple[Message, ...]:
    """Describe the link: who is at the other end, when they were last there, and which answers are awaited.

    The requests of the other home are not included: see `describe_request`.

    Args:
        link: state of the link.
        now: seconds since 1970.
    """
    if not link.running:
        return (Message("linked.status.stopped"),)
    if not link.joined:
        waiting = () if link.online else (Message("linked.status.offline"),)
        return Message("linked.status.not_joined"), *waiting
    messages = [Message("linked.status.name", name=as_message(link.name))] if link.name else []
    messages += [_describe_last_seen(link.seen, now)] if link.seen else []
    messages += [] if link.online else [Message("linked.status.offline")]
    messages += [Message("linked.status.cells", cells=tuple(map(str, link.cells)))] if link.cells else []
    messages += map(describe_asked, link.asked)
    messages += map(_describe_declined, link.declined)
    if link.question:
        messages.append(Message(f"linked.question.{'mine' if link.question.is_mine else 'theirs'}"))
    return tuple(messages)


def _describe_last_seen(seen: int, now: float) -> Message:
    age = now - seen
    if age < PRESENT_SECONDS:
        return Message("linked.seen.present")
    unit, seconds = next(each for each in _UNITS if age >= each[1])
    return Message(f"linked.seen.{unit}", count=int(age // seconds))


def _describe_declined(change: LinkChange) -> Message:
    match change:
        case TakeBackChange(turn):
            return Message("linked.declined.undo", turn=turn)
        case NewGameChange():
            return Message("linked.declined.new")
    return Message("linked.declined.draw")
