"""Figures of fault tests: written by each test, gathered by `make faults`, shown in the README and on a page."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = "FOLIOT_FIGURES"
"""The environment variable that names the folder to write to."""

STORES = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "mysql": "MariaDB"}


def write_figures(fault: str, url: str, figures: Mapping[str, Any]) -> None:
    """One JSON document per fault and store, when a folder is named."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    store = STORES[url.partition(":")[0].partition("+")[0]]
    document = {"fault": fault, "store": store, **figures}
    path = Path(folder) / f"{fault}-{store.lower()}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
