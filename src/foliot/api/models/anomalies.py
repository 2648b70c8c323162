"""Anomalies as JSON."""

from pydantic import Field

from foliot.api.models.common import ApiOutput, Moment, moment, one_of
from foliot.domain.anomalies.anomaly import Anomaly, AnomalyKind
from foliot.words.anomalies import anomaly_sentence
from foliot.words.language import Language

KINDS = tuple(AnomalyKind)


class AnomalyOut(ApiOutput):
    """A job differs from what is usual for it at this hour of the week, and from what it did lately."""

    id: int
    namespace: str
    job: str
    kind: str = one_of(*KINDS)
    began_at: Moment = Field(description="When the runs began that were judged first.")
    seen_at: Moment = Field(description="The end of the last hour in which it was seen.")
    ended_at: Moment | None = Field(description="null: it goes on.")
    message: str = Field(description="What differs, with its numbers, in the language of the request.")
    facts: dict[str, int | float | str] = Field(
        description="The numbers of the message. Durations are in microseconds.",
        examples=[{"now_us": 90_000_000, "usual_us": 30_000_000, "ratio": 3.0, "runs": 4}],
    )

    @classmethod
    def of(cls, anomaly: Anomaly, language: Language) -> "AnomalyOut":
        return cls(
            id=anomaly.id,
            namespace=anomaly.namespace,
            job=anomaly.job,
            kind=anomaly.kind,
            began_at=moment(anomaly.began_at) or "",
            seen_at=moment(anomaly.seen_at) or "",
            ended_at=moment(anomaly.ended_at),
            message=anomaly_sentence(anomaly, language),
            facts=dict(anomaly.facts),
        )
