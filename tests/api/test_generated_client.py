"""A client that a generator makes from the OpenAPI document goes through a whole journey against a real server."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.api.serving import Served, served
from tests.api.test_contract import DOCUMENT

PACKAGE = "foliot_generated"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The package of the client, importable; generated without a warning."""
    folder = tmp_path_factory.mktemp("generated")
    written = folder / "openapi.json"
    written.write_text(json.dumps(DOCUMENT), "utf-8")
    tools = Path(sys.executable).parent
    said = subprocess.run(
        [
            *(str(tools / "openapi-python-client"), "generate", "--meta", "none", "--fail-on-warning"),
            *("--path", str(written), "--output-path", str(folder / PACKAGE)),
        ],
        env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr
    sys.path.insert(0, str(folder))
    yield PACKAGE
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def server(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(migrated_sqlite, tmp_path_factory.mktemp("journey")) as found:
        yield found


class Client:
    """What the generator made, and whom it asks."""

    def __init__(self, package: str, server: Served) -> None:
        self._package = package
        whole: Any = importlib.import_module(package)
        self._client = whole.AuthenticatedClient(base_url=server.url, token=server.token)
        self.models: Any = importlib.import_module(f"{package}.models")

    def ask(self, tag: str, operation: str, *args: Any, **how: Any) -> Any:
        """One call; the answer has `status_code`, `headers` and what was `parsed`."""
        module: ModuleType = importlib.import_module(f"{self._package}.api.{tag}.{operation}")
        return module.sync_detailed(*args, client=self._client, **how)


@pytest.mark.slow
def test_a_generated_client_goes_through_a_journey(generated: str, server: Served) -> None:
    client = Client(generated, server)
    models = client.models
    form = models.DefinitionForm.from_dict(
        {"run": {"python": "billing:settle"}, "schedule": {"every": "1h"}, "retries": {"max": 3}, "overlap": "allow"}
    )

    wish = models.NewJob(name="结算", definition=form)
    made = client.ask("jobs", "create_job", body=wish, idempotency_key="journey")
    assert (made.status_code, made.parsed.name, made.headers["ETag"]) == (201, "结算", '"v1"')
    again = client.ask("jobs", "create_job", body=wish, idempotency_key="journey")
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")
    assert again.parsed.definition.retries.max_ == 3

    patch = models.JobPatch(definition=models.JobPatchDefinition.from_dict({"timeout": "30m"}))
    changed = client.ask("jobs", "patch_job", "结算", body=patch, if_match=made.headers["ETag"])
    assert (changed.status_code, changed.parsed.version, changed.parsed.definition.timeout) == (200, 2, "30m")
    other = models.JobPatch(definition=models.JobPatchDefinition.from_dict({"timeout": "5m"}))
    stale = client.ask("jobs", "patch_job", "结算", body=other, if_match='"v1"')
    assert isinstance(stale.parsed, models.Problem)
    assert (stale.status_code, stale.parsed.code) == (412, "FOL-3001")

    tried = client.ask("jobs", "trigger_job", "结算", body=models.TriggerJob(dry_run=True))
    assert isinstance(tried.parsed, models.DryRunOut)
    runs = [client.ask("jobs", "trigger_job", "结算") for _ in range(3)]
    assert [run.status_code for run in runs] == [201, 201, 201]
    for run in runs:
        found = client.ask("runs", "get_run", run.parsed.id)
        assert (found.parsed.id, found.parsed.state, found.parsed.job) == (run.parsed.id, "PENDING", "结算")

    seen: list[str] = []
    cursor: Any = None
    while cursor is not None or not seen:
        page = client.ask("runs", "list_runs", job="结算", limit=2, cursor=cursor).parsed
        seen += [run.id for run in page.items]
        cursor = page.next_cursor
    assert seen == [run.parsed.id for run in reversed(runs)]

    missing = client.ask("jobs", "get_job", "结")
    assert isinstance(missing.parsed, models.Problem)
    assert (missing.status_code, missing.parsed.code, missing.parsed.status) == (404, "FOL-2001", 404)
