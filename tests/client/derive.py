"""Writes the blocking client: the files of the async one without their `async` and `await`.

python -m tests.client.derive          write them
python -m tests.client.derive --check  exit 1 when one is not current
"""

import re
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[2] / "src" / "foliot" / "client"
AWAITED, BLOCKING = CLIENT / "awaited", CLIENT / "blocking"
NOTE = "# Written by python -m tests.client.derive: change foliot/client/awaited/{name}, then run it.\n"
RULES = (
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAbstractAsync(?=[A-Z])", "Abstract"),
    (r"\bAsync(?=[A-Z])", ""),  # of our classes, of `httpx2.AsyncClient`, of `AsyncIterator`
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\ba(close|read|iter_text)\(", r"\1("),
    (r"\bpause_async\b", "pause"),
    (r"\bspeaks_tls_async\b", "speaks_tls"),
    (r"\bclient\.awaited\b", "client.blocking"),
    (r"for item in (stream\.of_\w+\(\w*\)):\n +yield item", r"yield from \1"),
)


def derived() -> dict[str, str]:
    """The text of each file of the blocking client."""
    texts = {}
    for file in sorted(AWAITED.glob("*.py")):
        if file.name == "__init__.py":
            continue
        text = file.read_text("utf-8")
        for pattern, instead in RULES:
            text = re.sub(pattern, instead, text)
        subject, rest = text.split("\n", 1)
        texts[file.name] = formatted(f"{subject}\n\n{NOTE.format(name=file.name)}{rest}", BLOCKING / file.name)
    return texts


def formatted(text: str, file: Path) -> str:
    """As `ruff format` and its order of imports want it: lines are shorter without `await`, names differ."""
    ruff = [str(Path(sys.executable).parent / "ruff")]
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run(
            [*ruff, *command, "--stdin-filename", str(file), "-"],
            input=text.encode(),
            capture_output=True,
            check=True,
            cwd=CLIENT,
        )
        text = done.stdout.decode()
    return text


def stale() -> list[str]:
    """The names of files that are not what they should be."""
    wanted = derived()
    there = {file.name for file in BLOCKING.glob("*.py")} - {"__init__.py"}
    kept = {name: (BLOCKING / name).read_text("utf-8") for name in there}
    return sorted(name for name in wanted.keys() | kept.keys() if wanted.get(name) != kept.get(name))


def main() -> int:
    """Write the files, or say which are not current."""
    names = stale()
    if "--check" not in sys.argv:
        wanted = derived()
        for name in names:
            if name in wanted:
                (BLOCKING / name).write_text(wanted[name], "utf-8")
            else:
                (BLOCKING / name).unlink()
    print(f"{'not current' if '--check' in sys.argv else 'written'}: {', '.join(names)}" if names else "all current")
    return 1 if names and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
