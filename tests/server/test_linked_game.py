"""A linked game on a served board: following its log, and what its players ask the other home for."""

GAME, NEXT_GAME = "0123456789abcdef", "fedcba9876543210"
STATUS = {
    "command": "link",
    "name": "Ada",
    "seen": 1764500000,
    "online": True,
    "joined": True,
    "cells": [],
    "requests": [],
    "asked": [],
    "declined": [],
    "question": None,
}


def follow(turn=0, *actions, keep=None, **fields):
    """Return a `follow` line of a home that plays light."""
    plan = {"game": GAME, "side": "light", "variant": "standard", "turn": turn, "outcome": None}
    return {"command": "follow", **plan, "keep": turn if keep is None else keep, "actions": list(actions), **fields}


def state_of(client):
    return client.request({"ask": "state"})[-1]


def test_follow_begins_a_linked_game(served):
    client = served.connect()
    served.hands.touch("a1")
    [*_, state] = client.request(follow(0, "@b2", "@c3"))
    assert (state["turn"], served.played) == (2, ["@b2", "@c3"])
    assert (state["link"]["game"], state["link"]["side"], state["link"]["running"]) == (GAME, "light", False)
    assert client.request({"ask": "record"})[-1]["players"] == {"light": None, "dark": "remote"}
