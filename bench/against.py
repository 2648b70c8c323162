"""Two trees against each other: this one and another commit take turns in one run, each beside its raw twin.

    python -m bench --against COMMIT [storm firing …] [--pairs 9]

A pair is one measurement of each tree. The ratio of a pair is this tree's figure divided by the other's; the median of
all pairs is told. A loss counts when the median is below `LEAST` and three of four pairs are below 1: anything less is
noise of the machine.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from bench.record import ROOT, Entry, say

PAIRS: Final = 9
LEAST: Final = 0.97
ONE_WITHIN_S: Final = 300

Figure = Callable[[Mapping[str, Any]], float]


def _ratio(report: Mapping[str, Any]) -> float:
    """Foliot's rate by the twin's: more is better."""
    return float(report["ratio"])


def _per_bare_next(report: Mapping[str, Any]) -> float:
    """The bare next by the plan's time: more is better."""
    mixed = report["rows"][0]
    return float(mixed["bare_us"]) / float(mixed["planned_us"])


@dataclass(frozen=True, kw_only=True)
class Rival:
    """One benchmark in which two trees are compared."""

    entry: Entry
    figure: Figure = _ratio


SHORT: Final = ("--pairs", "3")
RIVALS: Final = (
    Rival(entry=Entry(name="firing", on="postgresql", options=SHORT)),
    Rival(entry=Entry(name="firing", on="mariadb", options=SHORT)),
    Rival(entry=Entry(name="leasing", on="postgresql", options=SHORT)),
    Rival(entry=Entry(name="leasing", on="mariadb", options=SHORT)),
    Rival(entry=Entry(name="storm", on="postgresql", options=SHORT)),
    Rival(entry=Entry(name="storm", on="sqlite", options=SHORT)),
    Rival(entry=Entry(name="drain", on="postgresql", options=("--runs", "20000", *SHORT))),
    Rival(entry=Entry(name="planning"), figure=_per_bare_next),
)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What the pairs of one benchmark say."""

    command: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def pairs(self) -> list[float]:
        """Ours by theirs, pair by pair; below 1 is slower."""
        return [a / b for a, b in zip(self.ours, self.theirs, strict=True)]

    @property
    def median(self) -> float:
        return median(self.pairs)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Where the middle half of the pairs lies."""
        if len(self.pairs) < 2:
            return self.pairs[0], self.pairs[0]
        low, _, high = quantiles(self.pairs, n=4, method="inclusive")
        return low, high

    @property
    def is_loss(self) -> bool:
        """Slower by more than a few hundredths, and beyond the spread of the pairs."""
        return self.median < LEAST and self.quartiles[1] < 1

    def line(self) -> str:
        low, high = self.quartiles
        mark = "✖" if self.is_loss else "✔"
        ours, theirs = median(self.ours), median(self.theirs)
        return f"{mark} {self.median:.3f}  ({low:.3f} to {high:.3f})  {ours:.3f} against {theirs:.3f}  {self.command}"


def against(commit: str, only: Sequence[str] | None, *, pairs: int = PAIRS) -> int:
    """Compare this tree with a commit; how many benchmarks lost."""
    rivals = [rival for rival in RIVALS if only is None or rival.entry.name in only]
    began_at = time.monotonic()
    told: list[Comparison] = []
    with _tree_of(commit) as other:
        for number, rival in enumerate(rivals, 1):
            say(f"▶ {number} of {len(rivals)}  {rival.entry.command}, {pairs} pairs")
            told.append(_compared(rival, other, pairs))
            say(f"{told[-1].line()}  {time.monotonic() - began_at:.0f} s")
    print(f"median of {pairs} pairs, this tree by {commit} (middle half of the pairs); below {LEAST} is a loss")
    print("\n".join(one.line() for one in told))
    return sum(one.is_loss for one in told)


def _compared(rival: Rival, other: Path, pairs: int) -> Comparison:
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(pairs):
        # Turn about, so that neither tree always comes first.
        order = (ROOT, other) if number % 2 else (other, ROOT)
        for tree in order:
            figure = rival.figure(_measured(rival.entry, tree))
            (ours if tree == ROOT else theirs).append(figure)
        say(f"  {number + 1} of {pairs}: {ours[-1]:.3f} against {theirs[-1]:.3f}")
    return Comparison(command=rival.entry.command, ours=tuple(ours), theirs=tuple(theirs))


def _measured(entry: Entry, tree: Path) -> Mapping[str, Any]:
    """The report of one benchmark, run by the code of this tree."""
    command = [sys.executable, "-m", "bench", *entry.words, "--json"]
    # The environment has this tree installed; what PYTHONPATH names comes before it.
    sources = [tree / "src", *sorted(tree.glob("packages/*/src"))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))}
    done = subprocess.run(
        command,
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=ONE_WITHIN_S,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"✖ {entry.command} failed in {tree}; run it there alone to see why")
    report: Mapping[str, Any] = json.loads(done.stdout)
    return report


@contextmanager
def _tree_of(commit: str) -> Iterator[Path]:
    """The files of a commit in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="foliot-against-") as folder:
        tree = Path(folder) / "tree"
        _git("worktree", "add", "--detach", str(tree), commit)
        try:
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*words: str) -> None:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"✖ git {words[0]}: {done.stderr.strip()}")
