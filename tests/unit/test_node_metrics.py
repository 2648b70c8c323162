"""What the leader shows of the nodes in its metrics."""

from foliot.domain.metric_bounds import NODES_SHOWN
from foliot.observability.metrics import ServerMetrics
from foliot.observability.node_figures import NodeGauge


def test_a_leader_shows_the_band_and_the_score_of_each_node() -> None:
    metrics = ServerMetrics()
    nodes = [
        NodeGauge("w-1", "worker", "n-1", "WARNING", 0.95, 3, "memory"),
        NodeGauge("s-1", "server", "n-2", "ONLINE", None),
    ]
    metrics.watch_nodes(lambda: nodes)
    lines = metrics.render().decode().splitlines()
    assert 'foliot_node_band{band="WARNING",id="n-1",kind="worker",node="w-1"} 1.0' in lines
    assert 'foliot_node_band{band="ONLINE",id="n-2",kind="server",node="s-1"} 1.0' in lines
    assert [line for line in lines if line.startswith("foliot_node_band_cause{")] == [
        'foliot_node_band_cause{cause="memory",id="n-1",kind="worker",node="w-1"} 1.0'
    ]
    assert [line for line in lines if line.startswith("foliot_node_score{")] == [
        'foliot_node_score{id="n-1",kind="worker",node="w-1"} 0.95'
    ]
    assert [line for line in lines if line.startswith("foliot_node_restarts{")] == [
        'foliot_node_restarts{id="n-1",kind="worker",node="w-1"} 3.0'
    ]
    nodes[:] = nodes[:1] * 5000
    shown = [line for line in metrics.render().decode().splitlines() if line.startswith("foliot_node_band{")]
    assert len(shown) == NODES_SHOWN
