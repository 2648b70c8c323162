"""Each mutant is caught by the invariants that name its mistake, and the same scene on Foliot itself is green."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from foliot_check.report import as_table
from tests.mutants.catalogue import FOLDER, MUTANTS, Mutant
from tests.mutants.playing import Playing
from tests.mutants.product import ROOT, SOUND, PatchIsStale, apply, mutated

MakeStore = Callable[[Path], str]


def mutants_on(store: str) -> Sequence[object]:
    return [pytest.param(mutant, id=mutant.name) for mutant in MUTANTS if mutant.store == store]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", mutants_on("sqlite"))
def test_a_mutant_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    be_caught(mutant, tmp_path, lambda folder: f"sqlite:///{folder}/foliot.db")


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.parametrize("mutant", mutants_on("postgresql"))
def test_a_mutant_is_caught_on_a_server(mutant: Mutant, tmp_path: Path, postgres_database: Callable[..., str]) -> None:
    be_caught(mutant, tmp_path, lambda _: postgres_database())


def be_caught(mutant: Mutant, folder: Path, make_store: MakeStore) -> None:
    """Play the scene on Foliot as it is and on the mutant, side by side, and compare the verdicts."""
    source = mutated(mutant, folder / "source")
    with (
        play(mutant, SOUND, folder / "foliot", make_store) as on_foliot,
        play(mutant, source, folder / "mutant", make_store) as on_mutant,
    ):
        sound, broken = on_foliot.judged(), on_mutant.judged()
    assert all(finding.holds for finding in sound.values()), f"Foliot itself:\n{as_table(sound)}"
    assert all(sound[number].looked_at for number in mutant.breaks), f"there was nothing to see:\n{as_table(sound)}"
    red = {number for number, finding in broken.items() if not finding.holds}
    assert mutant.breaks <= red <= mutant.breaks | mutant.along, f"{mutant.number}: {sorted(red)}\n{as_table(broken)}"
    assert mutant.breaks or on_mutant.told() != on_foliot.told(), "the mistake was never made"
    shutil.rmtree(source)  # kept for a look only when something is wrong


def play(mutant: Mutant, source: Path, folder: Path, make_store: MakeStore) -> Playing:
    folder.mkdir()
    return Playing(mutant, source, make_store(folder), folder)


# -------------------------------------------------------------------------------------------------------- the patches


@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=mutant.name) for mutant in MUTANTS])
def test_a_patch_applies(mutant: Mutant) -> None:
    apply(mutant, ROOT, dry=True)


def test_a_patch_that_no_longer_applies_says_what_to_do(tmp_path: Path) -> None:
    mutant = MUTANTS[0]
    patched = [line.removeprefix("+++ b/") for line in mutant.patch.read_text().splitlines() if line[:4] == "+++ "]
    for name in patched:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        (tmp_path / name).write_text((tmp_path / name).read_text().replace("\n", "  # moved on\n"))
    with pytest.raises(PatchIsStale, match=rf"Renew the patch.*{mutant.number}"):
        apply(mutant, tmp_path)


def test_every_patch_and_scene_is_in_the_catalogue() -> None:
    assert {path.stem for path in FOLDER.glob("m[0-9]*.patch")} == {mutant.name for mutant in MUTANTS}
    assert {path.stem for path in FOLDER.glob("m[0-9]*.py")} == {mutant.name for mutant in MUTANTS}


def test_the_reference_names_every_mutant_and_what_catches_it() -> None:
    page = (ROOT / "docs/reference/check.md").read_text()
    for mutant in MUTANTS:
        caught_by = ", ".join(sorted(mutant.breaks)) or "nothing: it does no harm"
        assert f"| `{mutant.name}` | {mutant.what} | {caught_by} |" in page, mutant.name
