"""What the servers count themselves, read from their `/metrics` while they can still be asked."""

import contextlib
import re
import urllib.error
import urllib.request
from collections import Counter
from typing import Any

SAMPLE = re.compile(r'^(foliot_\w+_total)(?:\{kind="(\w+)"\})? ([0-9.e+]+)$', re.MULTILINE)


class Metrics:
    """The counters of every server process, each as it was last seen: counters only rise."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._seen: dict[str, dict[str, float]] = {}

    def read(self, process: str, port: int, *, within_s: float) -> None:
        """Ask the server on this port; one that does not answer keeps what was last heard of it."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {self._token}"}
        )
        with contextlib.suppress(OSError, urllib.error.URLError):
            with urllib.request.urlopen(request, timeout=within_s) as answer:
                text = answer.read().decode()
            self._seen[process] = {
                f"{name}:{kind}" if kind else name: float(value) for name, kind, value in SAMPLE.findall(text)
            }

    def figures(self) -> dict[str, Any]:
        """Sums over all processes. What a killed one counted after it was last asked is not in them."""
        totals: Counter[str] = Counter()
        for samples in self._seen.values():
            totals.update({name: int(value) for name, value in samples.items()})
        kinds = {name.partition(":")[2]: n for name, n in totals.items() if name.startswith("foliot_store_troubles")}
        return {
            "reports_fenced": totals["foliot_reports_fenced_total"],
            "duplicate_fires": totals["foliot_duplicate_fires_total"],
            "store_troubles": kinds,
        }
