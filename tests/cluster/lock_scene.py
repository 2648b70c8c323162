"""A scene with locks: what its jobs did, by their journals and by the fenced resource behind each lock."""

import json
from typing import Any

from tests.cluster.api import Api
from tests.cluster.asking import asked
from tests.cluster.cluster import Cluster
from tests.eventually import soon

WITHIN_S = 90.0


class Scene:
    """What the jobs of the lock scenes did, and the gates at which they wait."""

    def __init__(self, cluster: Cluster, people: Api) -> None:
        self.cluster = cluster
        self.people = people
        self.fenced = cluster.journals / "fenced"

    def lines(self, what: str, *, lock: str = "") -> list[dict[str, Any]]:
        texts = [path.read_text("utf-8") for path in self.cluster.journals.glob("locks-*.jsonl")]
        lines = [json.loads(line) for text in texts for line in text[: text.rfind("\n") + 1].splitlines()]
        found = [line for line in lines if line["what"] == what and lock in ("", line["lock"])]
        return sorted(found, key=lambda line: float(line["mono"]))

    def open(self, gate: str) -> None:
        (self.cluster.journals / f"gate-{gate}").touch()

    async def trigger(self, job: str, **params: object) -> str:
        answer = await self.people.trigger(job, params)
        assert answer.status_code in (200, 201), answer.text
        return str(answer.json()["id"])

    async def has(self, lock: str) -> dict[str, Any]:
        """The line of the first run that had this lock."""
        found = await soon(lambda: self.lines("has", lock=lock), within_s=WITHIN_S, what=f"a run has {lock}")
        return found[0]

    async def counts(self, statement: str, count: int, *, what: str) -> None:
        async def is_so() -> bool:
            self.cluster.check_processes()
            return bool(await asked(self.cluster.url, statement) == count)

        await soon(is_so, within_s=WITHIN_S, what=what)

    async def ended_well(self, runs: list[str]) -> list[int]:
        """Wait for the end of these runs; how many attempts each took."""
        ended = [await self.people.ended(run, within_s=WITHIN_S) for run in runs]
        assert [run["state"] for run in ended] == ["SUCCEEDED"] * len(runs), ended
        return [run["attempt"] for run in ended]

    def tokens(self, lock: str) -> list[int]:
        """The tokens that the resource took, each once, in this order."""
        lines = self._tried(lock)
        return list(dict.fromkeys(line["token"] for line in lines if line["what"] == "accepted"))

    def check_fences(self) -> None:
        """Tokens rise, and each was used by one attempt alone (I9, I21)."""
        for file in self.fenced.iterdir():
            lock = file.stem.removeprefix("resource-")
            taken = [line for line in self._tried(lock) if line["what"] == "accepted"]
            tokens = [line["token"] for line in taken]
            assert tokens == sorted(tokens), f"{lock}: {tokens}"
            users = {(line["token"], line["run"], line["attempt"]) for line in taken}
            assert len(users) == len(set(tokens)), f"{lock}: two had one token"

    def _tried(self, lock: str) -> list[dict[str, Any]]:
        text = (self.fenced / f"resource-{lock}.jsonl").read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]
