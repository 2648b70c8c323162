"""Alert rules: what to look for, how grave it is, and whom to tell."""

# Written by python -m tests.client.derive: change foliot/client/awaited/rules.py, then run it.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from foliot.client.calls import Answer
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Rules:
    """Alert rules: what to look for, how grave it is, and whom to tell.

    `everywhere`: True means the rule of the whole cluster, False the namespace's. None: the namespace's own, or else
    the cluster's; of a new rule, its condition says whose it is.
    """

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def list(
        self, *, limit: int | None = None, cursor: str | None = None, namespace: str | None = None
    ) -> AnswerPage[Answer]:
        """The rules of the cluster and of every namespace, or of one; and those that come with Foliot."""
        where = {"namespace": namespace} if namespace else {}
        return page_of(dict, self._ask("list_rules", limit=limit, cursor=cursor, **where))

    def get(self, name: str, *, everywhere: bool | None = None, namespace: str | None = None) -> Answer:
        """A rule, with its version and what it does in words."""
        return dict(self._ask("get_rule", name=name, everywhere=_said(everywhere), namespace=namespace))

    def put(
        self,
        name: str,
        rule: Mapping[str, Any],
        *,
        if_version: int | None = None,
        everywhere: bool | None = None,
        reason: str = "",
        namespace: str | None = None,
    ) -> Answer:
        """Save a rule as a whole: another version of the one that was seen, or a new one without `if_version`."""
        return dict(
            self._ask(
                "put_rule",
                name=name,
                rule=dict(rule),
                if_version=if_version,
                everywhere=_said(everywhere),
                reason=reason,
                namespace=namespace,
            )
        )

    def delete(
        self, name: str, *, everywhere: bool | None = None, reason: str = "", namespace: str | None = None
    ) -> None:
        """Take a rule away. Its alerts are over."""
        self._ask("delete_rule", name=name, everywhere=_said(everywhere), reason=reason, namespace=namespace)

    def test(
        self,
        name: str,
        run: str,
        *,
        rule: Mapping[str, Any] | None = None,
        everywhere: bool | None = None,
        namespace: str | None = None,
    ) -> Answer:
        """Whether a rule would fire for a run, and why. `rule`: ask this one in the place of the saved one."""
        asked = None if rule is None else dict(rule)
        where = {"everywhere": _said(everywhere), "namespace": namespace}
        return dict(self._ask("try_rule", name=name, run=run, rule=asked, **where))

    def preview(
        self,
        name: str,
        *,
        kind: str = "fired",
        run: str | None = None,
        rule: Mapping[str, Any] | None = None,
        everywhere: bool | None = None,
        namespace: str | None = None,
    ) -> Answer:
        """What the channels of a rule would be told, in every language; without a run: of a made up trouble.

        `rule`: ask this one in the place of the saved one. Nothing is sent.
        """
        asked = None if rule is None else dict(rule)
        where = {"everywhere": _said(everywhere), "namespace": namespace}
        return dict(self._ask("preview_rule", name=name, kind=kind, run=run, rule=asked, **where))


def _said(everywhere: bool | None) -> str | None:
    """As text: the table of calls leaves out what is False, and here it means something."""
    if everywhere is None:
        return None
    return "1" if everywhere else "0"
