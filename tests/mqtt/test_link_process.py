"""The process that plays a stored game, between a fake board and a fake broker."""

import asyncio
import itertools

from pond_hw.link.changes import INVITER
from pond_hw.link.invitation import parse_broker
from pond_hw.link.linked_game import LinkedGame
from pond_hw.mqtt import link_process
from pond_hw.mqtt.link_process import LinkProcess
from pond_hw.mqtt.linked_home import LinkedHome
from pond_hw.rules import STANDARD

BROKER = parse_broker("mqtt://broker.example")


class FakeBroker:
    def __init__(self):
        self.listeners, self.published, self.has_two = [], [], asyncio.Event()

    def subscribe(self, topic, on_message):
        pass

    def publish(self, topic, payload):
        self.published.append((topic, payload))
        if len(self.published) > 1:
            self.has_two.set()

    async def run(self):
        await asyncio.Event().wait()


class FakeBoard(FakeBroker):
    def send(self, line):
        pass


def make_home():
    joiner = LinkedGame.join(LinkedGame.invite(BROKER, STANDARD, INVITER).invitation)
    return LinkedHome(joiner)


def test_presence_is_sent_while_the_clock_is_set_back(monkeypatch):
    monkeypatch.setattr(link_process, "TICK_SECONDS", 0.001)
    monkeypatch.setattr(link_process, "PRESENCE_SECONDS", 0.01)
    clock = map(float, itertools.count(1_800_000_000, -3600))

    async def play():
        broker = FakeBroker()
        process = LinkProcess(make_home(), lambda _: None, FakeBoard(), broker, lambda: next(clock))
        running = asyncio.create_task(process.run())
        async with asyncio.timeout(10):
            await broker.has_two.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(play())
