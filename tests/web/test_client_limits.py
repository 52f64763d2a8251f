"""Choice of the client to disconnect when there are too many."""

from random import Random

from pond_hw.web.client_limits import find_surplus
from tests.conftest import each


@each(
    "sources, index",
    [
        ([], None),
        (["a", "b", "c", "d"], None),
        (["a", "a", "a", "b"], 0),
        (["b", "a", "a", "a"], 1),
        (["a", "a", "b", "c", "d"], 0),
        (["b", "a", "c", "a", "d"], 1),
        (["a", "b", "c", "d", "e"], 0),
        ([1, 1, "a", 2, "b"], 2),
        ([1, 1, 2, 3, 4], 0),
        ([2, 1, 1, 1], 1),
    ],
)
def test_surplus_client_comes_from_the_busiest_address(sources, index):
    assert find_surplus(sources, max_count=4, max_per_source=2) == index


def test_a_few_networks_cannot_lock_out_a_stranger():
    rng, sources = Random(1), []
    for _ in range(2000):
        sources.insert(0, rng.choice(["evil 1", "evil 2", "evil 3", "evil 4"]))
        if (surplus := find_surplus(sources, 20, 8)) is not None:
            sources.pop(surplus)
    for count in range(1, 4):  # 4 of each network is a fair share
        sources.insert(0, "family")
        sources.pop(find_surplus(sources, 20, 8))
        assert sources.count("family") == count


def test_strangers_cannot_lock_out_seats():
    rng, sources = Random(2), [1, 2, 2, 3]
    for _ in range(2000):
        sources.insert(0, rng.choice([4, *(f"evil {number}" for number in range(50))]))
        if (surplus := find_surplus(sources, 20, 8)) is not None:
            sources.pop(surplus)
    assert [sources.count(seat) for seat in (1, 2, 3, 4)] == [1, 2, 1, 8]
