"""Playing a scene on a product, in a process of its own, and judging what happened."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from foliot_check.findings import Finding, verify
from foliot_check.history import Bounds
from foliot_check.reader import read_history
from tests.cluster.process import Process
from tests.eventually import eventually
from tests.mutants.catalogue import Mutant

PLAYED_WITHIN_S = 150.0


class Playing:
    """A scene on its way."""

    def __init__(self, mutant: Mutant, source: Path, url: str, folder: Path) -> None:
        self._mutant = mutant
        self._url = url
        self._folder = folder
        self._source = source
        command = [sys.executable, "-m", "tests.mutants.stage", mutant.scene, url, str(folder)]
        self._process = Process("stage", command, folder, {"PYTHONPATH": str(source)})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.close()

    def told(self) -> Sequence[str]:
        """What the nemesis wrote down."""
        return [json.loads(line)["what"] for line in (self._folder / "nemesis.jsonl").read_text().splitlines()]

    def judged(self) -> Mapping[str, Finding]:
        """Wait for its end; every invariant's verdict on what happened, as the checker of the test sees it."""
        eventually(lambda: not self._process.is_alive, within_s=PLAYED_WITHIN_S, what="the scene was played")
        said = self._process.log.read_text("utf-8", "replace")
        assert not self._process.has_failed, f"the scene broke off:\n{said}"
        assert f"played on {self._source}/foliot/" in said, f"played on another Foliot:\n{said}"
        history = read_history(
            self._url,
            workers=[self._folder / "worker.jsonl"],
            nemesis=[self._folder / "nemesis.jsonl"],
            clients=[self._folder / "client.jsonl"],
            bounds=Bounds(servers=1, lossy=self._mutant.lossy),
        )
        return verify(history)
