"""Sensor faults in a game: ordinary noise, and heavier faults on request."""

from pond_hw.rules import get_grid
from pond_hw.simulator.sensor_faults import (
    BOUNCE,
    CHATTER,
    CROSS_TALK,
    DRIFT,
    DROPOUT,
    STUCK_OFF,
    STUCK_ON,
    SensorFault,
)

ORDINARY = "ordinary"

OFF_CENTRE_SHARE = 0.02
"""Fraction of the games in which one sensor detects off-centre pieces on neighbouring cells."""


def make_faults(kinds, size, random):
    """Return the initial faults, and a generator function that is called at each turn and adds later ones."""
    cells = get_grid(size).cells
    noise = [SensorFault(BOUNCE), SensorFault(DROPOUT)]
    if random.random() < OFF_CENTRE_SHARE:
        noise.append(SensorFault(CROSS_TALK, random.choice(cells)))
    stuck = [kind for kind in kinds if kind in (STUCK_ON, STUCK_OFF)]
    for kind in kinds:
        if kind == CHATTER:
            noise.append(SensorFault(CHATTER, random.choice(cells)))
        elif kind == DRIFT:
            noise.append(
                SensorFault(DRIFT, drift_share=random.uniform(-0.5, 0.8), drift_seconds=random.uniform(60.0, 1200.0))
            )
        elif kind == CROSS_TALK:
            noise.append(SensorFault(CROSS_TALK, random.choice(cells)))
    begins = random.randint(2, 20)

    def later(person):
        yield from ()
        if stuck and len(person.oracle.truth) >= begins:
            yield from person.calm()
            stick(person, stuck.pop(), random)

    return noise, later


def stick(person, kind, random):
    """Make a sensor stick in its current state. If it always detects a piece, the piece on it is no longer moved."""
    world, there = person.world, person.resting()
    cells = sorted(person.oracle.position.pieces) if kind == STUCK_ON else get_grid(world.table.size).cells
    cells = [cell for cell in cells if (cell in there) == (kind == STUCK_ON)]
    if not cells or world.facts["take_off"]:
        return
    cell = random.choice(cells)
    world.log("", f"the sensor of {cell} is {kind} from now on")
    world.unmoved.add(cell)
    world.broken.add(cell)
    world.table.add_fault(SensorFault(kind, cell))
