"""The mutants: what each gets wrong, and the invariants that must catch it. `mNN_name.patch` is the mistake,
`mNN_name.py` the scene in which it shows."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Mutant:
    """One mistake that Foliot must not make."""

    name: str
    what: str
    breaks: frozenset[str]
    """The invariants that name the mistake: every one of them must be found broken. None: it must do no harm."""
    along: frozenset[str] = frozenset()
    """Others that cannot hold either once it is made."""
    store: str = "sqlite"
    lossy: bool = False
    """The store of the scene forgets commits, and is known to."""

    @property
    def number(self) -> str:
        """As the guarantees count it."""
        return f"M{int(self.name[1:3])}"

    @property
    def patch(self) -> Path:
        """The mistake, as a unified diff of `src`."""
        return FOLDER / f"{self.name}.patch"

    @property
    def scene(self) -> str:
        """The module whose `play` lets it show."""
        return f"tests.mutants.{self.name}"


def _mutant(
    name: str, what: str, breaks: str, *, along: str = "", store: str = "sqlite", lossy: bool = False
) -> Mutant:
    return Mutant(name, what, frozenset(breaks.split()), frozenset(along.split()), store, lossy)


MUTANTS = (
    _mutant("m01_complete_without_lease", "a result is accepted whatever its lease", "I5", along="I4 I6"),
    _mutant("m02_two_transactions", "the cursor moves in one transaction, the run comes in another", "I1"),
    _mutant("m03_read_ahead", "due instants are kept in memory, the cursor moves first", "I1"),
    _mutant(
        "m04_read_decide_write_back", "read, decide, write back; no unique key", "I1", along="I2", store="postgresql"
    ),
    _mutant("m05_due_by_node_clock", "what is due is told by the server's own clock", "I3 I1"),
    _mutant("m05_reap_by_node_clock", "who is dead is told by the server's own clock", "I12"),
    _mutant("m06_requeued_at_reap", "an at-most-once run goes back when its worker is lost", "I7"),
    _mutant("m07_no_epoch", "the attempt alone is the fence, on a store that forgets commits", "I9 I17", lossy=True),
    _mutant(
        "m08_start_before_known",
        "a run is started before its claim is known",
        "I7",
        along="I9 I17",
        store="postgresql",
    ),
    _mutant("m10_no_amnesty", "sessions are reaped at once after the store was away", "I12"),
    _mutant("m12_edit_without_the_past", "an edit moves the cursor without deciding the past", "I1"),
    _mutant("m13_deaths_not_counted", "deaths are not counted", "I13"),
    _mutant("m14_fresh_key", "a call whose answer was lost is sent again under a fresh key", "I15"),
    _mutant("m15_no_term", "a leader whose term is over is obeyed", ""),
    _mutant("m16_weights_not_counted", "a run takes one of a limit, whatever its weight", "I22"),
    _mutant("m17_keys_not_counted", "a lease does not ask whether the key of a run has room", "I23"),
)
