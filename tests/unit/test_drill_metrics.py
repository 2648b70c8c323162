"""What a server counts of drills."""

from foliot.domain.drills import DrillState, DrillType
from foliot.observability.drills import DrillMetrics
from foliot.observability.metrics import ServerMetrics

CLEAN = {"lost": 0, "doubled": 0, "early": 0}


def test_drills_are_counted_by_their_outcome_with_the_times_of_the_last() -> None:
    server = ServerMetrics()
    metrics = DrillMetrics(server.registry)
    metrics.told(DrillType.HANG, DrillState.ASKED, {})
    times = {"detected_us": None, "failed_over_us": 2_500_000, "recovered_us": 6_000_000}
    metrics.told(DrillType.HANG, DrillState.ENDED, {**times, "fires": CLEAN})
    metrics.told(DrillType.HANG, DrillState.ENDED, {"fires": {**CLEAN, "early": 1}})
    metrics.told(DrillType.CRASH, DrillState.LOST, {})
    metrics.told(DrillType.CRASH, DrillState.STOPPED, {})
    lines = [line for line in server.render().decode().splitlines() if line.startswith("foliot_drill")]
    shown = sorted(line for line in lines if "_created" not in line)
    assert shown == [
        'foliot_drill_last_seconds{time="failed_over",type="hang"} 2.5',
        'foliot_drill_last_seconds{time="recovered",type="hang"} 6.0',
        'foliot_drills_ended_total{outcome="clean",type="hang"} 1.0',
        'foliot_drills_ended_total{outcome="failed",type="hang"} 1.0',
        'foliot_drills_ended_total{outcome="lost",type="crash"} 1.0',
        'foliot_drills_ended_total{outcome="stopped",type="crash"} 1.0',
        'foliot_drills_started_total{type="hang"} 1.0',
    ]
