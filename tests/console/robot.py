"""A robot that stands for DingTalk: what a server knows of it."""

from typing import Final

NOTIFY: Final = """
[notify]
allow = ["loopback"]

[secrets.DING]
env = "DING_WEBHOOK"
namespaces = ["*"]
"""
ANSWER: Final = b'{"errcode": 0}'


def robots(address: str) -> dict[str, str]:
    """The environment of a server whose folder has `NOTIFY` as notify.toml."""
    return {"FOLIOT_NOTIFY": "notify.toml", "DING_WEBHOOK": f"{address}/robot/send?access_token=t"}
