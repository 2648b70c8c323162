"""What ends leave behind for those who wait: whether it pays to look at once for runs to lease."""

from dataclasses import dataclass


@dataclass(slots=True)
class MadeRoom:
    """Whether some ends let other runs begin, or may have. A hint: what was undone and tried again counts, too."""

    is_made: bool = False
