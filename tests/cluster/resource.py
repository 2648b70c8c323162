"""A fenced resource (H4): it takes an effect only with a token not lower than any it has seen, and logs every try.

One file per resource under a lock of the kernel, which a killed process gives back: so it is never in doubt itself.
"""

import fcntl
import json
import time
from pathlib import Path


def use(folder: Path, name: str, *, token: int, run: str, attempt: int) -> bool:
    """Try an effect with this token; whether it was accepted."""
    with (folder / f"resource-{name}.jsonl").open("a+", encoding="utf-8") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        journal.seek(0)
        lines = [json.loads(line) for line in journal if line.endswith("\n")]
        highest = max((line["token"] for line in lines if line["what"] == "accepted"), default=0)
        accepted = token >= highest
        line = {
            "what": "accepted" if accepted else "refused",
            "mono": time.monotonic(),
            "resource": name,
            "token": token,
            "run": run,
            "attempt": attempt,
        }
        journal.write(json.dumps(line) + "\n")
        return accepted
