"""The papers lead somewhere: every link and every number quoted in the code can be followed."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NUMBER = r"(?:SEC-?|[SLCRIFM])\d+"
QUOTED = re.compile(rf"\(({NUMBER}(?:(?:, | and )(?:{NUMBER}))*)\)")


@pytest.fixture(scope="module")
def papers() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / entry.decode() for entry in listed.split(b"\0") if entry]


def test_every_link_between_papers_leads_somewhere(papers: list[Path]) -> None:
    dead = [
        f"{paper.relative_to(ROOT)}: {target}"
        for paper in papers
        for target in LINK.findall(paper.read_text())
        if "://" not in target and not leads_somewhere(paper, target)
    ]
    assert dead == []


def leads_somewhere(paper: Path, target: str) -> bool:
    place, _, anchor = target.partition("#")
    folder = REFERENCE if paper.parent.name == "heads" else paper.parent  # a head begins a page of the reference
    page = (folder / place).resolve() if place else paper
    if not page.exists():
        return False
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE) if anchor else []
    return not anchor or anchor in [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_every_number_the_code_quotes_can_be_looked_up() -> None:
    rows = re.findall(r"^\| (\w+) \|", "".join(page.read_text() for page in REFERENCE.glob("*.md")), re.MULTILINE)
    known = {f"SEC{row}" if row.isdigit() else row for row in rows}
    quoted = quoted_numbers()
    assert quoted, "the pattern finds nothing any more"
    assert quoted - known == set()


def quoted_numbers() -> set[str]:
    """The numbers that the code quotes."""
    return {
        number.replace("-", "")
        for folder in ("src", "packages")
        for module in (ROOT / folder).rglob("*.py")
        for group in QUOTED.findall(module.read_text())
        for number in re.findall(NUMBER, group)
    }


def test_no_code_quotes_a_rule_that_is_only_planned() -> None:
    rules = (REFERENCE / "rules.md").read_text()
    planned = {f"SEC{n}" if n.isdigit() else n for n in re.findall(r"^\| (\w+) \| \*Planned[.,]", rules, re.MULTILINE)}
    assert {"R22", "SEC18"} <= planned
    assert quoted_numbers() & planned == set()


def test_the_numbers_run_without_gaps() -> None:
    pages = [page for page in REFERENCE.glob("*.md") if not page.name.startswith("fault-")]  # which repeat the faults
    text = "".join(page.read_text() for page in pages)
    for letter, first, last in (
        ("S", 1, 12),
        ("L", 1, 7),
        ("C", 1, 5),
        ("R", 1, 24),
        ("I", 1, 24),
        ("F", 0, 28),
        ("M", 1, 17),
    ):
        found = sorted(int(number) for number in re.findall(rf"^\| {letter}(\d+) \|", text, re.MULTILINE))
        assert found == list(range(first, last + 1)), letter


def test_the_list_of_decisions_has_each_page_by_its_heading() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = sorted(page for page in folder.glob("*.md") if page.name != "README.md")
    wanted = [f"- [{page.read_text('utf-8').partition(chr(10))[0].removeprefix('# ')}]({page.name})" for page in pages]
    listed = [line for line in (folder / "README.md").read_text("utf-8").splitlines() if line.startswith("- [")]
    assert listed == wanted
