"""What a beat says of its machine: a figure that cannot be read is left out, and nothing else is."""

from pathlib import Path

import pytest

from foliot.app.system import SystemClock
from foliot.worker.container import Container
from foliot.worker.load import LoadFigures


def figures(proc: Path, container: Container | None = None) -> LoadFigures:
    return LoadFigures(SystemClock(), own=lambda: {"running": 4.0}, proc=proc, container=container or Container())


@pytest.fixture
def group(tmp_path: Path) -> Path:
    """A control group of one CPU and 1000 bytes."""
    group = tmp_path / "groups" / "mine"
    group.mkdir(parents=True)
    (group / "cpu.max").write_text("100000 100000")
    (group / "cpu.stat").write_text("usage_usec 5\n")
    (group / "memory.max").write_text("1000")
    (group / "memory.current").write_text("400")
    (tmp_path / "own").write_text("0::/mine\n")
    return group


def container(group: Path) -> Container:
    return Container.of_this_process(group.parent, group.parent.parent / "own")


def test_a_machine_without_figures_of_waiting_and_files_says_the_others(tmp_path: Path) -> None:
    said = figures(tmp_path / "no-proc").read()
    assert {"running", "cpu", "memory", "disk", "load1", "cores", "threads"} <= said.keys()
    assert not {"starved", "files", "connections"} & said.keys()


def test_a_control_group_that_goes_away_costs_its_figure_and_no_beat(group: Path, tmp_path: Path) -> None:
    read = figures(tmp_path, container(group)).read
    said = read()
    assert (said["cores"], said["memory"]) == (1.0, 0.4)
    assert "cpu" in said
    (group / "cpu.stat").unlink()
    said = read()
    assert "cpu" not in said
    assert said["memory"] == 0.4
    (group / "memory.current").unlink()
    assert read()["running"] == 4.0


def test_a_worker_says_how_full_the_disk_of_its_spool_is_before_the_folder_is_made(tmp_path: Path) -> None:
    clock, to_come = SystemClock(), tmp_path / "state" / "spool"
    said = LoadFigures(clock, spool=to_come, container=Container()).read()
    assert 0 < said["spool"] <= 1
    assert not to_come.exists()
    assert "spool" not in LoadFigures(clock, container=Container()).read()


def test_figures_of_the_node_itself_that_break_cost_no_beat(tmp_path: Path) -> None:
    def broken() -> dict[str, float]:
        raise KeyError("a bug")

    assert "cpu" in LoadFigures(SystemClock(), own=broken, proc=tmp_path, container=Container()).read()


@pytest.mark.parametrize(("name", "text"), [("cpu.max", "odd"), ("cpu.max", "100 0"), ("memory.max", "1 GB")])
def test_limits_that_nobody_understands_are_none(group: Path, name: str, text: str) -> None:
    (group / name).write_text(text)
    assert container(group).cores is None
    assert container(group).memory_max is None
