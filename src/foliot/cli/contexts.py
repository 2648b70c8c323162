"""Contexts: which cluster a command asks, and as whom. Flags > FOLIOT_* > foliot.toml > ./.foliot > user contexts.

A context is a line in `contexts.toml` of the user's configuration folder; its token lies beside it in a file that only
the user can read, never in an argument, an address or the environment of another process (SEC-20).
"""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from foliot.client.private import write_private_file
from foliot.domain.errors import InvalidInput, NotFound
from foliot.domain.names import check_name, nearest

LOCAL: Final = Path(".foliot") / "client.json"
PROJECT: Final = Path("foliot.toml")
_OF_ONE_SERVER: Final = ("server", "token", "token_file", "ca_file")
_SAID_BY_ALL: Final = ("server", "token_file", "ca_file", "namespace", "tz", "lang")


class NoSuchContext(NotFound):
    """No context has this name."""

    code = "FOL-2009"

    def __init__(self, name: str, *, nearest: str | None = None) -> None:
        super().__init__(
            f'No context "{name[:100]}".',
            hint=f"did you mean {nearest}?" if nearest else "see all: foliot context list",
            name=name,
            nearest=nearest,
        )


class UnreadableContexts(InvalidInput):
    """A file with settings that cannot be read."""

    code = "FOL-1084"

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"{file} cannot be read: {why}.", hint="mend it, or remove it", file=str(file))


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One cluster as one user knows it."""

    name: str
    server: str
    namespace: str | None = None
    token_file: str | None = None
    ca_file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value and who said it."""

    value: str
    said_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a command works with, and where each part comes from."""

    settings: Mapping[str, Setting] = field(default_factory=dict)

    def get(self, name: str) -> str | None:
        """A value, if anybody said one."""
        found = self.settings.get(name)
        return found.value if found else None


class Contexts:
    """The contexts of this user."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        home = self._environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        self.folder = Path(self._environment.get("FOLIOT_CONFIG", str(Path(home) / "foliot")))
        self.file = self.folder / "contexts.toml"

    def all(self) -> tuple[dict[str, Context], str | None]:
        """Every context by name, and the one in use."""
        document = _toml(self.file)
        known = document.get("contexts", {})
        if not isinstance(known, dict):
            raise UnreadableContexts(self.file, "contexts is not a table")
        contexts = {
            name: Context(
                name=name,
                server=str(said.get("server", "")),
                namespace=said.get("namespace"),
                token_file=said.get("token_file"),
                ca_file=said.get("ca_file"),
            )
            for name, said in known.items()
            if isinstance(said, dict)
        }
        current = document.get("current")
        return contexts, current if current in contexts else None

    def find(self, name: str) -> Context:
        """The context, or `NoSuchContext`."""
        contexts, _ = self.all()
        if name not in contexts:
            raise NoSuchContext(name, nearest=nearest(name, contexts))
        return contexts[name]

    def put(self, context: Context, *, token: str | None = None, use: bool = True) -> None:
        """Add or replace a context; its token goes to a file of its own."""
        name = check_name("context", context.name)
        contexts, current = self.all()
        token_file = context.token_file
        if token is not None:
            token_file = str(self._write(self.folder / "tokens" / name, token + "\n"))
        contexts[name] = replace(context, name=name, token_file=token_file)
        self._save(contexts, name if use or current is None else current)

    def use(self, name: str) -> None:
        """Make a context the one in use."""
        self.find(name)
        contexts, _ = self.all()
        self._save(contexts, name)

    def remove(self, name: str) -> None:
        """Forget a context and its token."""
        self.find(name)
        contexts, current = self.all()
        del contexts[name]
        (self.folder / "tokens" / name).unlink(missing_ok=True)
        self._save(contexts, None if current == name else current)

    def resolve(self, flags: Mapping[str, str | None], *, folder: Path | None = None) -> Resolved:
        """Every setting from the first who says it."""
        here = folder or Path.cwd()
        sources = [self._from_flags(flags), self._from_environment(), _from_project(here / PROJECT)]
        named = flags.get("context") or self._environment.get("FOLIOT_CONTEXT")
        if named:
            sources.insert(1, self._from_context(named))
        else:
            sources.append(_from_local(here / LOCAL))
            _, current = self.all()
            if current is not None:
                sources.append(self._from_context(current))
        settings: dict[str, Setting] = {}
        for source in sources:
            # A token belongs to its server and is never shown to another's.
            is_other = "server" in source and "server" in settings
            taken = {name: said for name, said in source.items() if not (is_other and name in _OF_ONE_SERVER)}
            settings = {**taken, **settings}
        return Resolved(settings=settings)

    def _from_flags(self, flags: Mapping[str, str | None]) -> dict[str, Setting]:
        return {
            name: Setting(value=value, said_by=f"--{name.replace('_', '-')}")
            for name in _SAID_BY_ALL
            if (value := flags.get(name))
        }

    def _from_environment(self) -> dict[str, Setting]:
        names = {
            "FOLIOT_SERVER": "server",
            "FOLIOT_TOKEN_FILE": "token_file",
            "FOLIOT_CA_FILE": "ca_file",
            "FOLIOT_NAMESPACE": "namespace",
            "FOLIOT_TZ": "tz",
            "FOLIOT_LANG": "lang",
        }
        return {
            name: Setting(value=value, said_by=variable)
            for variable, name in names.items()
            if (value := self._environment.get(variable))
        }

    def _from_context(self, name: str) -> dict[str, Setting]:
        context = self.find(name)
        said = {name: getattr(context, name) for name in ("server", "namespace", "token_file", "ca_file")}
        return {key: Setting(value=value, said_by=f"context {name}") for key, value in said.items() if value}

    def _save(self, contexts: Mapping[str, Context], current: str | None) -> None:
        lines = [f"current = {json.dumps(current)}"] if current else []
        for name in sorted(contexts):
            context = contexts[name]
            lines += ["", f"[contexts.{json.dumps(name)}]", f"server = {json.dumps(context.server)}"]
            if context.namespace:
                lines.append(f"namespace = {json.dumps(context.namespace)}")
            if context.token_file:
                lines.append(f"token_file = {json.dumps(context.token_file)}")
            if context.ca_file:
                lines.append(f"ca_file = {json.dumps(context.ca_file)}")
        self._write(self.file, "\n".join(lines) + "\n")

    def _write(self, file: Path, text: str) -> Path:
        """Write a file that only this user can read, whole or not at all."""
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private_file(file, text)
        return file


def _from_project(file: Path) -> dict[str, Setting]:
    said = _toml(file).get("client", {})
    if not isinstance(said, dict):
        return {}
    return {name: Setting(value=str(said[name]), said_by=str(PROJECT)) for name in _SAID_BY_ALL if said.get(name)}


def _from_local(file: Path) -> dict[str, Setting]:
    try:
        said: Any = json.loads(file.read_text("utf-8"))
        values = {"server": str(said["url"]), "token": str(said.get("token") or "")}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableContexts(file, str(error)) from error
    return {name: Setting(value=value, said_by=str(LOCAL)) for name, value in values.items() if value}


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableContexts(file, str(error)) from error
