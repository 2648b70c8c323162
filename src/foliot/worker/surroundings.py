"""What every part of a worker is given."""

from typing import NamedTuple

from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.ports.worker_link import WorkerLink
from foliot.worker.figures import Figures


class Surroundings(NamedTuple):
    """The way to the servers, the clock, chance, and the figures that the parts count in."""

    link: WorkerLink
    clock: Clock
    chance: Chance
    figures: Figures
    call_within_s: float  # how long an answer of a server is waited for
