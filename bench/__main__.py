"""Runs benchmarks: one of `foliot bench` on a private server, one of a single part, or all that figures are told of.

python -m bench storm [--on postgresql|mariadb|sqlite] [--profile FOLDER] [--statements FILE] [options of foliot bench]
python -m bench firing [its own options]
python -m bench --record docs/reference/figures [storm drain …]     everything, or these, as one JSON document a day
python -m bench --against COMMIT [firing leasing …] [--pairs 9]     this tree and a commit in turn: who is quicker
"""

import argparse
import runpy
import sys
from pathlib import Path

from bench.private import KINDS, private
from bench.spy import watching
from foliot_bench.command import bench

PARTS = sorted(
    file.stem
    for file in Path(__file__).parent.glob("*.py")
    if file.stem not in ("__main__", "figures") and '\nif __name__ == "__main__"' in file.read_text("utf-8")
)


def main(words: list[str]) -> None:
    if words[:1] == ["--record"]:
        from bench.record import record

        recording = argparse.ArgumentParser(prog="python -m bench")
        recording.add_argument("--record", type=Path, metavar="FOLDER", help="where the figures are kept")
        recording.add_argument("names", nargs="*", help="these alone")
        given = recording.parse_args(words)
        sys.exit(record(given.record, given.names or None))
    if words[:1] == ["--against"]:
        from bench.against import PAIRS, against

        comparing = argparse.ArgumentParser(prog="python -m bench")
        comparing.add_argument("--against", metavar="COMMIT", help="the other tree")
        comparing.add_argument("--pairs", type=int, default=PAIRS, help="how often each is measured")
        comparing.add_argument("names", nargs="*", help="these alone")
        given = comparing.parse_args(words)
        sys.exit(against(given.against, given.names or None, pairs=given.pairs))
    if words and words[0] in PARTS:
        sys.argv = [f"bench.{words[0]}", *words[1:]]
        runpy.run_module(f"bench.{words[0]}", run_name="__main__", alter_sys=True)
        return
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=sorted([*bench.commands, *PARTS]))
    parser.add_argument("--on", choices=KINDS, default="postgresql", help="a private server (default: PostgreSQL)")
    parser.add_argument("--profile", type=Path, metavar="FOLDER", help="py-spy records of the processes")
    parser.add_argument("--statements", type=Path, metavar="FILE", help="what PostgreSQL did, by statement")
    given, others = parser.parse_known_args(words)
    with private(given.on) as where:
        databases = [*(("--db", where.url) if where.url else ()), *(("--twin-db", where.twin) if where.twin else ())]
        more = {"pid": where.pid, "watch": watching(given.profile, given.statements, where.url)}
        bench.main([given.name, *databases, *others], prog_name="foliot bench", obj=more)


if __name__ == "__main__":
    main(sys.argv[1:])
