"""A cron expression in a zone, as a trigger."""

from dataclasses import dataclass, field
from functools import lru_cache

from foliot.domain.schedule.cron.days import CronDays
from foliot.domain.schedule.cron.fields import CronDialect, Expression
from foliot.domain.schedule.cron.parser import parse
from foliot.domain.schedule.times import product
from foliot.domain.schedule.wall import Wall, WallTrigger
from foliot.domain.schedule.zones import Gap, RepeatedTime, zone


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron(WallTrigger):
    """A cron expression in a zone. `dialect` None: told by the number of fields; `job` places H."""

    text: str
    tz: str = "UTC"
    dialect: CronDialect | None = None
    dst_gap: Gap = Gap.AFTER
    dst_overlap: RepeatedTime = RepeatedTime.FIRST
    job: str = ""
    expression: Expression = field(init=False, repr=False, compare=False)
    wall: Wall = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        expression = parse(self.text, self.dialect, seed=self.job)
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "wall", _wall(expression, self.tz, self.dst_gap, self.dst_overlap))

    @classmethod
    def parse(cls, text: str, *, tz: str = "UTC", dialect: CronDialect | None = None, job: str = "") -> "Cron":
        """Read an expression with the usual rules for summer time."""
        return cls(text=text, tz=tz, dialect=dialect, job=job)


@lru_cache(maxsize=8192)
def _wall(expression: Expression, tz: str, gap: Gap, overlap: RepeatedTime) -> Wall:
    """The search behind an expression; jobs that write the same share one. Without given hours elapsed time decides."""
    if not expression.is_fixed_time:
        gap, overlap = Gap.SKIP, RepeatedTime.BOTH
    times = product(expression.hour.mask, expression.minute.mask, expression.second.mask)
    return Wall(CronDays(expression), times, zone(tz), gap, overlap)
