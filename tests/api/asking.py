"""Asking the API in tests: the real app over ASGI, without a socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from fastapi import FastAPI

from foliot.api.app import build_api
from foliot.domain.access import Grant, Scope
from foliot.operations.tokens import create_token
from tests.api.stage import ROOT, Stage

V1 = "/api/v1"


class Api:
    """A client with a token."""

    def __init__(self, stage: Stage, app: FastAPI, http: httpx2.AsyncClient, token: str | None) -> None:
        self.stage = stage
        self.app = app
        self._http = http
        self.token = token

    def as_token(self, token: str | None) -> "Api":
        """The same API, asked by somebody else."""
        return Api(self.stage, self.app, self._http, token)

    async def with_scopes(self, *scopes: str, namespace: str | None = None, group: str | None = None) -> "Api":
        """The same API, asked with a fresh token of these scopes."""
        grant = Grant(scopes=frozenset(Scope(scope) for scope in scopes), namespace=namespace, group=group)
        name = f"{'-'.join(scopes) or 'none'}-{self.stage.chance.token()[:6]}"
        issued = await create_token(self.stage.services, ROOT, name, grant)
        return self.as_token(issued.secret)

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        content: bytes | None = None,
        **query: Any,
    ) -> httpx2.Response:
        """One request; `path` is behind /api/v1 unless it begins with /api or is a probe."""
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        is_whole = path.startswith(("/api", "/metrics", "/healthz", "/readyz"))
        url = path if is_whole else V1 + path
        params = {name.rstrip("_"): value for name, value in query.items() if value is not None}
        if content is not None:
            return await self._http.request(method, url, params=params, headers=sent, content=content)
        return await self._http.request(method, url, params=params, headers=sent, json=body)

    async def get(self, path: str, **query: Any) -> httpx2.Response:
        return await self.ask("GET", path, **query)

    async def post(self, path: str, body: Any = None, **how: Any) -> httpx2.Response:
        return await self.ask("POST", path, {} if body is None else body, **how)

    async def create_job(self, name: str = "tick", **document: Any) -> httpx2.Response:
        definition = {"run": {"python": f"jobs:{name}"}, **document}
        return await self.post("/jobs", {"name": name, "definition": definition})


@asynccontextmanager
async def opened_api(stage: Stage, **how: Any) -> AsyncIterator[Api]:
    """The app over a stage, and a client that may do everything."""
    app = build_api(stage.services, **how)
    issued = await create_token(stage.services, ROOT, "root", Grant(scopes=frozenset({Scope.ADMIN})))
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://foliot") as http:
        yield Api(stage, app, http, issued.secret)
