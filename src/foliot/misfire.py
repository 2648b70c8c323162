"""What to do about fires that were missed: `from foliot.misfire import latest`, then `misfire=latest(within="6h")`."""

from foliot.domain.policies.misfire import all, latest, skip  # noqa: A004  the words of job files

__all__ = ["all", "latest", "skip"]
