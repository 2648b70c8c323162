"""The program: `foliot-check --db URL [--worker FILE…] [--nemesis FILE…] [--json]`."""

import argparse
import sys
from pathlib import Path

from foliot_check.figures import figures_of
from foliot_check.findings import verify
from foliot_check.reader import read_history
from foliot_check.report import as_json, as_table


def main() -> None:
    """Read a history, verify every invariant, exit 1 when one does not hold."""
    parser = argparse.ArgumentParser(
        "foliot-check",
        description="Verify Foliot's promises on what really happened.",
        epilog="example: foliot-check --db sqlite:///.foliot/foliot.db",
    )
    parser.add_argument("--db", required=True, help="the store's URL")
    parser.add_argument("--worker", type=Path, action="append", default=[], help="a worker's journal")
    parser.add_argument("--nemesis", type=Path, action="append", default=[], help="the journal of injected faults")
    parser.add_argument("--client", type=Path, action="append", default=[], help="the journal of acknowledged calls")
    parser.add_argument("--resource", type=Path, action="append", default=[], help="the journal of a fenced resource")
    parser.add_argument("--only", default="", help="invariants to verify, such as I1,I5")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    history = read_history(
        options.db,
        workers=options.worker,
        nemesis=options.nemesis,
        clients=options.client,
        resources=options.resource,
    )
    findings = verify(history, frozenset(filter(None, options.only.split(","))))
    shown = as_json(findings, figures_of(history, findings)) if options.json else as_table(findings)
    sys.stdout.write(shown + "\n")
    sys.exit(0 if all(finding.holds for finding in findings.values()) else 1)


if __name__ == "__main__":
    main()
