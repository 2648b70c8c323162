"""States as JSON: every state in every answer is written in capitals (`docs/decisions/states-in-capitals.md`)."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator

from foliot.api.models.common import one_of
from foliot.domain.alerts.level import AlertState
from foliot.domain.drills import DrillState
from foliot.domain.fire import CursorState
from foliot.domain.health import Health
from foliot.domain.heartbeats.check import CheckState
from foliot.domain.life import Life
from foliot.domain.roles import Role
from foliot.domain.run import DERIVED
from foliot.domain.run import RunState as StoredState
from foliot.ports.store.backfills import BackfillState
from foliot.ports.store.channels import DeliveryState


def in_capitals(written: Any) -> Any:
    """Return a state as answers write it. The store keeps some in small letters, and a client may send either."""
    return written.upper() if isinstance(written, str) else written


def _words(states: Iterable[str]) -> Any:
    return one_of(*(state.upper() for state in states))


_Capitals = BeforeValidator(in_capitals)

RunWord = Annotated[str, _Capitals, _words(StoredState)]
ShownWord = Annotated[str, _Capitals, _words((*StoredState, *DERIVED))]
JobWord = Annotated[str, _Capitals, _words(CursorState)]
BackfillWord = Annotated[str, _Capitals, _words(BackfillState)]
NodeWord = Annotated[str, _Capitals, one_of("LIVE", "DRAINING", "DEAD")]
HealthWord = Annotated[str, _Capitals, _words(Health)]
LifeWord = Annotated[str, _Capitals, _words(Life)]
RoleWord = Annotated[str, _Capitals, _words(Role)]
DrillWord = Annotated[str, _Capitals, _words(DrillState)]
CheckWord = Annotated[str, _Capitals, _words(CheckState)]
AlertWord = Annotated[str, _Capitals, _words(AlertState)]
DeliveryWord = Annotated[str, _Capitals, _words(DeliveryState)]
DecisionWord = Annotated[str, _Capitals, one_of("CREATED", "SKIPPED", "PLANNED")]
