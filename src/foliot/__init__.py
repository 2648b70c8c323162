"""Foliot: a distributed job scheduler. This module is what users import; it holds no logic."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

__version__ = "0.1.0"

if TYPE_CHECKING:
    from foliot.client.awaited.foliot import AsyncFoliot
    from foliot.client.awaited.run import AsyncRun
    from foliot.client.blocking.foliot import Foliot
    from foliot.client.blocking.run import Run
    from foliot.domain.errors import FoliotError
    from foliot.domain.policies.retry import retry_from as Retry  # noqa: N812  read as the thing it makes
    from foliot.domain.schedule.words import at, cron, daily, every, weekly
    from foliot.integrations.fastapi import lifespan
    from foliot.sdk.connection import configure
    from foliot.sdk.ctx import Ctx, ctx
    from foliot.sdk.handler_jobs import HandlerJob, http_job, shell_job, sql_job
    from foliot.sdk.job import JobFunction, job
    from foliot.sdk.stop_signal import Cancelled

__all__ = [
    "AsyncFoliot",
    "AsyncRun",
    "Cancelled",
    "Ctx",
    "Foliot",
    "FoliotError",
    "HandlerJob",
    "JobFunction",
    "Retry",
    "Run",
    "__version__",
    "at",
    "configure",
    "cron",
    "ctx",
    "daily",
    "every",
    "http_job",
    "job",
    "lifespan",
    "shell_job",
    "sql_job",
    "weekly",
]

# Where each of them is; imported when first asked for, so that `import foliot` costs next to nothing.
_WHERE: Final = {
    "AsyncFoliot": "foliot.client.awaited.foliot:AsyncFoliot",
    "AsyncRun": "foliot.client.awaited.run:AsyncRun",
    "Cancelled": "foliot.sdk.stop_signal:Cancelled",
    "Ctx": "foliot.sdk.ctx:Ctx",
    "Foliot": "foliot.client.blocking.foliot:Foliot",
    "FoliotError": "foliot.domain.errors:FoliotError",
    "HandlerJob": "foliot.sdk.handler_jobs:HandlerJob",
    "JobFunction": "foliot.sdk.job:JobFunction",
    "Retry": "foliot.domain.policies.retry:retry_from",
    "Run": "foliot.client.blocking.run:Run",
    "at": "foliot.domain.schedule.words:at",
    "configure": "foliot.sdk.connection:configure",
    "cron": "foliot.domain.schedule.words:cron",
    "ctx": "foliot.sdk.ctx:ctx",
    "daily": "foliot.domain.schedule.words:daily",
    "every": "foliot.domain.schedule.words:every",
    "http_job": "foliot.sdk.handler_jobs:http_job",
    "job": "foliot.sdk.job:job",
    "lifespan": "foliot.integrations.fastapi:lifespan",
    "shell_job": "foliot.sdk.handler_jobs:shell_job",
    "sql_job": "foliot.sdk.handler_jobs:sql_job",
    "weekly": "foliot.domain.schedule.words:weekly",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'foliot' has no attribute {name!r}")
    module, _, attribute = _WHERE[name].partition(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
