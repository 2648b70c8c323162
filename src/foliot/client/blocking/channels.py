"""Channels: where alerts are told, and what was sent."""

# Written by python -m tests.client.derive: change foliot/client/awaited/channels.py, then run it.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Channels:
    """Channels: where alerts are told, and what was sent.

    Without a namespace a channel is the cluster's, and every namespace may use it.
    """

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def list(
        self, *, limit: int | None = None, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """The channels of the cluster and of every namespace, or of one, with how each did lately."""
        return page_of(dict, self._ask("list_channels", limit=limit, cursor=cursor, **_of(namespace)))

    def kinds(self, *, limit: int | None = None, cursor: str | None = None) -> AnswerPage[Answer]:
        """The kinds of channels there are, each with the JSON Schema of its settings."""
        return page_of(dict, self._ask("list_channel_kinds", limit=limit, cursor=cursor))

    def get(self, name: str, *, namespace: str | None = None) -> Answer:
        """A channel, its version and how it did lately."""
        return dict(self._ask("get_channel", name=name, **_of(namespace)))

    def put(
        self,
        name: str,
        channel: Mapping[str, Any],
        *,
        if_version: int | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """Save a channel as a whole: another version of the one that was seen, or a new one without `if_version`."""
        kept = self._ask(
            "put_channel", name=name, channel=dict(channel), if_version=if_version, reason=reason, **_of(namespace)
        )
        return dict(kept)

    def delete(self, name: str, *, force: bool = False, reason: str = "", namespace: str | None = None) -> None:
        """Take a channel away, once no rule names it; with `force` all the same."""
        self._ask("delete_channel", name=name, force=force, reason=reason, **_of(namespace))

    def test(self, name: str, *, namespace: str | None = None) -> Answer:
        """Send a test message, and wait some seconds for it to arrive."""
        return dict(self._ask("try_channel", name=name, **_of(namespace)))

    def preview(
        self,
        name: str,
        *,
        kind: str = "fired",
        alert: int | None = None,
        run: str | None = None,
        rule: str | None = None,
        channel: Mapping[str, Any] | None = None,
        namespace: str | None = None,
    ) -> Answer:
        """What it would be told of an alert or a run, in every language; of neither: a made up trouble.

        `channel`: ask this one in the place of the saved one. Nothing is sent.
        """
        asked = None if channel is None else dict(channel)
        about = {"kind": kind, "alert": alert, "run": run, "rule": rule, "channel": asked}
        return dict(self._ask("preview_channel", name=name, **about, **_of(namespace)))

    def deliveries(
        self,
        *,
        channel: str | None = None,
        alert: int | None = None,
        limit: int = 50,
        cursor: str | None = None,
        namespace: str | None = None,
    ) -> AnswerPage[Answer]:
        """A page of what was sent, newest first."""
        which = {"channel": channel, "alert": alert, **_of(namespace)}
        return page_of(dict, self._ask("list_deliveries", limit=limit, cursor=cursor, **which))


def _of(namespace: str | None) -> dict[str, str]:
    """Without one, nothing: the client's own namespace does not stand in for it."""
    return {"namespace": namespace} if namespace else {}
