"""`foliot limit`: who holds a limit, and what jobs take of it."""

import re

from tests.cli.conftest import Shell


def test_limits(foliot: Shell) -> None:
    made = foliot("limit", "set", "ledger", "4", "--reason", "small machine")
    assert (made.code, made.err) == (0, "✔ ledger lets 4 runs through now\n")
    usual = ("job", "create", "posting", "--py", "jobs:greet", "--set")
    assert foliot(*usual, "place.concurrency.ledger=4").code == 0
    assert foliot("job", "create", "mailing", "--py", "jobs:greet", "--set", "place.concurrency.mail=2").code == 0
    shown = foliot("limit", "list", "-o", "json").json["items"]
    assert [(one["namespace"], one["name"], one["max"]) for one in shown] == [
        ("default", "mail", 2),
        (None, "ledger", 4),
    ]
    assert re.search(r"ledger +every +0 +4", foliot("limit", "list").out)
    use = foliot("limit", "show", "ledger", "-o", "json").json
    assert (use["max"], use["used"], use["waiting"], use["holders"]) == (4, 0, 0, [])
    assert use["jobs"] == [{"job": "posting", "namespace": "default", "takes": 1}]
    assert re.search(r"used +0 of 4\n", foliot("limit", "show", "ledger").out)
    assert foliot("job", "create", "heavy", "--py", "jobs:greet", "--set", "place.concurrency.ledger=4", "--set",
                  "place.takes.ledger=3").code == 0  # fmt: skip
    assert "heavy (×3), posting" in foliot("limit", "show", "ledger").out
    too_much = foliot(*usual, "place.concurrency.ledger=4", "--set", "place.takes.ledger=5")
    assert (too_much.code, "FOL-1242" in too_much.err) == (2, True)
    assert foliot("limit", "show", "nothing").code == 3
    used = foliot("limit", "delete", "ledger", "--yes")
    assert (used.code, "posting" in used.err) == (5, True)
    for name in ("posting", "mailing", "heavy"):
        foliot("job", "delete", name, "--yes")
    assert foliot("limit", "delete", "ledger", "--yes").code == 0
    assert foliot("limit", "delete", "ledger", "--yes").code == 3
