"""Checkup: from what was measured of a cluster to one finding for each check. The room `words` says it."""

from foliot.domain.checkup.findings import Finding, Grade, worst_of
from foliot.domain.checkup.table import CHECKS, examine

__all__ = ["CHECKS", "Finding", "Grade", "examine", "worst_of"]
