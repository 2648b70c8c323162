"""The settings that hold for a server: each value, and who gave it."""

from dataclasses import dataclass
from enum import StrEnum


class SettingSource(StrEnum):
    """Who gave a value. The first of these that gave one wins."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveSetting:
    """One setting as it holds. No value has a secret in it."""

    name: str
    value: str  # empty: not set
    source: SettingSource
    place: str  # the option, the variable or the file that gave the value; of a default: the option that would
    meaning: str  # in English
