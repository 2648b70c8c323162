"""Randomness and fresh ids, so that a seed can drive them."""

from typing import Protocol


class Chance(Protocol):
    """Where random things come from."""

    def fraction(self) -> float:
        """A number in [0, 1)."""
        ...

    def token(self) -> str:
        """A fresh random id of 128 bits, as 32 hexadecimal digits."""
        ...

    def secret(self) -> str:
        """A fresh secret of 256 bits, safe in a URL."""
        ...
