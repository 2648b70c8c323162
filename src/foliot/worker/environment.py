"""The environment of jobs: what child processes get of the worker's own, without the worker's secrets (SEC-20)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

HIDDEN: Final = ("FOLIOT_*", "PG*", "MYSQL*", "MARIADB*", "CREDENTIALS_DIRECTORY")
"""How nodes are told of servers, stores and tokens; what database clients take passwords from."""

BASE: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP"),
    *("PYTHON*", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)
"""What passes into a clean environment: enough to find programs, modules, certificates, the language and the zone."""

SECRET_MIN: Final = 8  # shorter texts are no secrets, and occur by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentRules:
    """Which variables pass. A name may end in `*`. What is kept passes, unless it is a secret that jobs name."""

    hide: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    clean: bool = False  # nothing but the base and what is kept
    secrets: tuple[str, ...] = field(default=(), repr=False)  # whatever has one of them in it is hidden
    secret_files: tuple[str, ...] = ()  # whatever names one of them is hidden
    secret_names: tuple[str, ...] = ()  # variables that hold secrets of jobs: they never pass

    def passed_on(self, own: Mapping[str, str]) -> dict[str, str]:
        """The environment for child processes, of the worker's own."""
        return {name: value for name, value in own.items() if self._passes(name, value)}

    def _passes(self, name: str, value: str) -> bool:
        if name in self.secret_names:
            return False
        if _is_among(name, self.keep):
            return True
        if self.clean and not _is_among(name, BASE):
            return False
        return not _is_among(name, (*HIDDEN, *self.hide)) and not self._is_secret(value)

    def _is_secret(self, value: str) -> bool:
        if value in self.secret_files:
            return True
        return any(secret in value for secret in self.secrets if len(secret) >= SECRET_MIN)


def _is_among(name: str, patterns: Iterable[str]) -> bool:
    return any(name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern for pattern in patterns)
