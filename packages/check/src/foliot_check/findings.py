"""What an invariant found: what it looked at, what is wrong, and figures worth reporting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from foliot_check.history import History

SHOWN_MAX: Final = 20


@dataclass(kw_only=True)
class Finding:
    """The verdict on one invariant."""

    invariant: str
    sentence: str
    looked_at: int = 0
    wrong: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        return not self.wrong

    def fault(self, sentence: str) -> None:
        """Something that must not be."""
        self.wrong.append(sentence)


Check = Callable[[History, Finding], None]
CHECKS: Final[dict[str, tuple[str, Check]]] = {}


def invariant(number: str) -> Callable[[Check], Check]:
    """Enter a check under its number; its docstring is the invariant in words."""

    def enter(check: Check) -> Check:
        assert number not in CHECKS, number
        CHECKS[number] = (check.__doc__ or "", check)
        return check

    return enter


def verify(history: History, only: frozenset[str] = frozenset()) -> Mapping[str, Finding]:
    """Every invariant's verdict on a history."""
    import foliot_check.invariants  # noqa: F401  enters the checks

    findings = {}
    for number, (sentence, check) in sorted(CHECKS.items(), key=lambda entry: int(entry[0][1:])):
        if only and number not in only:
            continue
        finding = findings[number] = Finding(invariant=number, sentence=sentence)
        check(history, finding)
    return findings
