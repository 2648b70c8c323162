"""Tests with real processes may fail once and run again; each such test is listed, because it is to be mended.

A test of processes depends on the machine: a crowded one can stop a process for seconds. All other tests run once.
"""

import os
from pathlib import Path
from typing import Final

import pytest

ROOMS: Final = frozenset({"app", "cli", "cluster", "examples"})
"""Folders below `tests/` whose tests start processes."""

LIST: Final = "FOLIOT_RERUNS"
"""Environment variable that names the file for the list; `make test` prints it at the end."""


def may_run_again(path: Path, tests: Path) -> bool:
    """Whether a test in this file may run a second time."""
    room = path.relative_to(tests).parts[0]
    return room in ROOMS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test with real processes one more try."""
    tests = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(tests) and may_run_again(item.path, tests):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that ran again, on the screen and in the list of `make test`."""
    if hasattr(terminalreporter.config, "workerinput"):
        return  # a process of xdist: its controller tells for all of them
    again = {report.nodeid: _trouble(report) for report in terminalreporter.getreports("rerun")}
    if not again:
        return
    terminalreporter.section("failed once and ran again: find the cause of each")
    lines = [f"{test}  {trouble}" for test, trouble in sorted(again.items())]
    for line in lines:
        terminalreporter.write_line(line)
    file = os.environ.get(LIST)
    if file:
        with Path(file).open("a") as kept:
            kept.writelines(f"{line}\n" for line in lines)


def _trouble(report: pytest.TestReport) -> str:
    """What the first try failed with, in one line."""
    errors = [line[1:].strip() for line in report.longreprtext.splitlines() if line.startswith("E ")]
    return " ".join(errors)[:500]
