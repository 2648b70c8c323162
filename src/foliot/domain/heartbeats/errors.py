"""What can be wrong with a request about checks.

NotFound
└── CheckNotFound     FOL-2060   no check has this name
Conflict
├── CheckChanged      FOL-3130   somebody else changed the check meanwhile
├── CheckExists       FOL-3131   there is a check of this name
└── TooManyChecks     FOL-3132   as many checks as there may be
"""

from foliot.domain.errors import Conflict, NotFound


class CheckNotFound(NotFound):
    """No check has this name."""

    code = "FOL-2060"

    def __init__(self, name: str, *, nearest: str | None = None) -> None:
        hint = f"did you mean {nearest}?" if nearest else None
        super().__init__(f'No check "{name[:200]}".', hint=hint, name=name[:200], nearest=nearest)


class CheckChanged(Conflict):
    """Somebody else changed the check meanwhile."""

    code = "FOL-3130"

    def __init__(self, name: str, *, version: int) -> None:
        super().__init__(f'The check "{name}" has version {version} by now.', name=name, version=version)


class CheckExists(Conflict):
    """A check of this name is there already."""

    code = "FOL-3131"

    def __init__(self, name: str) -> None:
        super().__init__(f'There is a check "{name}" already.', name=name)


class TooManyChecks(Conflict):
    """As many checks as the cluster keeps."""

    code = "FOL-3132"

    def __init__(self, *, most: int) -> None:
        super().__init__(f"There are {most} checks, which is the most.", most=most)
