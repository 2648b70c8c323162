"""A drain without PgQueuer: its bar does not vanish without a word."""

from foliot_bench.drain import Drain
from foliot_bench.report import lines


def test_the_report_says_that_pgqueuer_is_not_installed_and_how_to_install_it() -> None:
    report = {"benchmark": "drain", **Drain().beside_the_rival([{"foliot_s": 5.0, "twin_s": 2.0}]), "bars": []}
    assert ("pgqueuer", "not installed, so there is no bar by its rate: pip install pgqueuer") in lines(report)
