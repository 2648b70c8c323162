"""Settings of a worker for the kind `shell`, `[handlers.shell]`: which commands, as whom, where, with which bounds."""

import os
import pwd
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from foliot.ports.handler import BadHandlerSetting
from foliot.worker.handlers.shell.options import KIB, KIND, LANGUAGES, Language

USUAL_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
OWN_UIDS: Final = range(60_600, 61_184)
"""Users of nobody else: neither Debian nor systemd gives these numbers away. Each run of a root worker takes one."""
PROGRAMS: Final = {"sh": "sh", "bash": "bash", "python": "python3", "node": "node", "powershell": "pwsh"}
MIB: Final = KIB * KIB


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellLimits:
    """Bounds of each process. None: in a sandbox `SANDBOX_LIMITS` hold, elsewhere none."""

    cpu_s: int | None = None
    memory_mb: int | None = None
    open_files: int | None = None
    processes: int | None = None
    file_mb: int | None = None


SANDBOX_LIMITS: Final = ShellLimits(cpu_s=3600, memory_mb=1024, open_files=256, processes=128, file_mb=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellSettings:
    """What a worker's user decides; jobs cannot change any of it."""

    commands: list[str] | None = None  # names or absolute paths; None: every command
    scripts: bool = True
    languages: dict[Language, str] = field(default_factory=dict)  # where interpreters are, if not on `path`
    sandbox: Literal["scripts", "all", "none"] = "scripts"
    network: bool = False  # of the sandbox
    run_as: str | None = None
    path: str = USUAL_PATH
    lang: str = "C.UTF-8"
    home: str | None = None  # None: the private folder
    env: dict[str, str] = field(default_factory=dict)  # of every command
    env_names: list[str] | None = None  # that jobs may set; None: all, and with a list of commands none
    work_folder: str | None = None  # where private folders are made
    folders: list[str] = field(default_factory=list)  # that jobs may work in; a sandbox shows them read-only
    writable_folders: list[str] = field(default_factory=list)  # likewise, and scripts may write there
    umask: str = "077"
    limits: ShellLimits = field(default_factory=ShellLimits)
    sandbox_tmp_mb: int = 64

    @property
    def work_in(self) -> str:
        """Where private folders are made."""
        return self.work_folder or tempfile.gettempdir()

    def program(self, name: str) -> str | None:
        """The path of a command by the worker's own search path, never by the job's; None: it is not here."""
        return shutil.which(name, path=self.path)

    def interpreter(self, language: str) -> str | None:
        """The path of a language's interpreter; None: it is not here."""
        named = self.languages.get(language)  # type: ignore[call-overload]
        return self.program(named or PROGRAMS[language])

    def is_allowed(self, program: str) -> bool:
        """Whether jobs may start this program."""
        return self.commands is None or any(self.program(name) == program for name in self.commands)

    def sandboxes(self, *, is_script: bool) -> bool:
        """Whether a run of this sort gets a sandbox."""
        return self.sandbox == "all" or (self.sandbox == "scripts" and is_script)

    def may_work_in(self, folder: str) -> bool:
        """Whether a job may name this folder as its own."""
        path = Path(folder).resolve()
        return any(path.is_relative_to(Path(one).resolve()) for one in (*self.folders, *self.writable_folders))

    def limits_of(self, *, in_sandbox: bool) -> dict[str, int]:
        """The limits by their names in `resource`."""
        usual = SANDBOX_LIMITS if in_sandbox else ShellLimits()
        chosen = {
            "RLIMIT_CPU": (self.limits.cpu_s or usual.cpu_s, 1),
            "RLIMIT_DATA": (self.limits.memory_mb or usual.memory_mb, MIB),
            "RLIMIT_NOFILE": (self.limits.open_files or usual.open_files, 1),
            "RLIMIT_NPROC": (self.limits.processes or usual.processes, 1),
            "RLIMIT_FSIZE": (self.limits.file_mb or usual.file_mb, MIB),
        }
        bounds = {name: value * unit for name, (value, unit) in chosen.items() if value}
        return {**bounds, "RLIMIT_CORE": 0}

    def user(self) -> pwd.struct_passwd | None:
        """The user that commands run as; None: a root worker's own numbers, or the worker's own user."""
        return None if self.run_as is None else pwd.getpwnam(self.run_as)


def check_settings(settings: ShellSettings) -> None:
    """Refuse what this machine cannot do; no message shows a value."""
    for name in settings.commands or ():
        if "/" in name and not name.startswith("/"):
            raise _bad("commands", "a command is a name or an absolute path")
    for folder in (*settings.folders, *settings.writable_folders, *filter(None, (settings.work_folder, settings.home))):
        if not Path(folder).is_absolute():
            raise _bad("folders", "a folder is an absolute path")
    if not Path(settings.work_in).is_dir():
        raise _bad("work_folder", "there is no such folder")
    try:
        is_mask = 0 <= int(settings.umask, 8) <= 0o777
    except ValueError:
        is_mask = False
    if not is_mask:
        raise _bad("umask", "it is not three octal digits, as 077")
    for language in settings.languages:
        if settings.interpreter(language) is None:
            raise _bad(f"languages.{language}", "there is no such program")
    _check_user(settings)
    _check_limits(settings.limits)


def _check_user(settings: ShellSettings) -> None:
    if settings.run_as is None:
        return
    if os.geteuid() != 0:
        raise _bad("run_as", "only a worker that is root can start commands as another user")
    try:
        settings.user()
    except KeyError:
        raise _bad("run_as", "there is no such user") from None


def _check_limits(limits: Any) -> None:
    for name in ShellLimits.__slots__:
        value = getattr(limits, name)
        if value is not None and value < 1:
            raise _bad(f"limits.{name}", "a limit is 1 or more")


def _bad(key: str, why: str) -> BadHandlerSetting:
    return BadHandlerSetting(KIND, key, why)


__all__ = ["LANGUAGES", "OWN_UIDS", "ShellLimits", "ShellSettings", "check_settings"]
