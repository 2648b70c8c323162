"""What every answer says to browsers and caches, whichever route it is of."""

import base64
import hashlib
import re
from typing import Any

from foliot.api.app import build_api
from foliot.api.console import PAGES
from foliot.api.worker_protocol import worker_routes
from foliot.operations.worker_service import WorkerService
from tests.api.asking import Api
from tests.api.calling import Call
from tests.api.stage import Stage
from tests.api.test_registering import Desk

STREAMS = ("/events",)
CONSOLE = (*PAGES, "/login", "/assets/{name}")
"""Where the console is built its files have headers of their own: `test_console`."""


async def test_no_answer_is_guessed_at_or_kept(api: Api, stage: Stage) -> None:
    service = WorkerService(stage.services, Desk())
    app = build_api(stage.services, plain_routes=lambda known: worker_routes(service, known.worker))
    wrong: list[str] = []
    for method, path in sorted(app.state.rights):
        if path.endswith(STREAMS):
            continue  # they do not end
        if path in CONSOLE:
            continue
        for token in (api.token, None):
            call = await Call(app, method, re.sub(r"\{\w+\}", "1", path), (b"{}",), token=token).made()
            if not is_as_usual(call.headers):
                wrong.append(f"{method} {path}: {call.status} {call.headers}")
    assert wrong == []


async def test_logs_and_lists_that_are_there_are_not_kept_either(api: Api) -> None:
    await api.create_job("tick")
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    for path in ("/jobs", "/jobs/tick", f"/runs/{run}", f"/runs/{run}/logs", "/healthz", "/metrics"):
        answer = await api.get(path)
        assert answer.status_code == 200, path
        assert is_as_usual(dict(answer.headers)), path


def is_as_usual(headers: dict[str, Any]) -> bool:
    return headers.get("x-content-type-options") == "nosniff" and headers.get("cache-control") == "no-store"


async def test_the_pages_run_nothing_but_their_own_style_and_script(api: Api) -> None:
    for path in ("/api/docs", "/login"):
        call = await Call(api.app, "GET", path, token=api.token).made()
        policy = call.headers["content-security-policy"]
        assert "unsafe-inline" not in policy
        assert "default-src 'none'" in policy
        page = call.body.decode()
        for inline in re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", page, re.DOTALL):
            assert base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode() in policy
        assert not re.search(r"\son\w+=|\sstyle=", page)
