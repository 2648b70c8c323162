"""Showing the verdicts: a table for people, JSON for programs."""

import json
from collections.abc import Mapping
from typing import Any

from foliot_check.findings import SHOWN_MAX, Finding


def as_table(findings: Mapping[str, Finding]) -> str:
    """One line per invariant, what is wrong below it."""
    lines = []
    for number, finding in findings.items():
        mark = "ok" if finding.holds else "x "
        lines.append(f"{mark}  {number:<4} {finding.looked_at:>8}  {finding.sentence}")
        lines.extend(f"                    {wrong}" for wrong in finding.wrong[:SHOWN_MAX])
        if len(finding.wrong) > SHOWN_MAX:
            lines.append(f"                    and {len(finding.wrong) - SHOWN_MAX} more")
    figures = {name: value for finding in findings.values() for name, value in finding.figures.items()}
    lines.append("    " + "  ".join(f"{name} {value}" for name, value in figures.items()))
    failed = [number for number, finding in findings.items() if not finding.holds]
    lines.append(f"not held: {', '.join(failed)}" if failed else "every invariant held")
    return "\n".join(lines)


def as_json(findings: Mapping[str, Finding], figures: Mapping[str, Any] | None = None) -> str:
    """One document with stable keys."""
    return json.dumps(
        {
            "held": all(finding.holds for finding in findings.values()),
            "figures": dict(figures or {}),
            "invariants": {
                number: {
                    "held": finding.holds,
                    "looked_at": finding.looked_at,
                    "wrong": finding.wrong[:SHOWN_MAX],
                    "wrong_count": len(finding.wrong),
                    "figures": finding.figures,
                }
                for number, finding in findings.items()
            },
        },
        indent=2,
    )
