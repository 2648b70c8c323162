"""Contexts: which cluster a command asks, and as whom. Flags > FOLIOT_* > foliot.toml > ./.foliot > user contexts.

A context is a line in `contexts.toml` of the user's configuration folder; its token lies beside it in a file that only
the user can read, never in an argument, an address or the environment of another process (SEC-20).

A project's `foliot.toml` comes with the project. Its author may name a server, and never says what is sent there.
"""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from foliot.client.discovery import (
    PROJECT,
    EndpointSource,
    Resolved,
    Setting,
    SourceKind,
    choose,
    flag_of,
    from_environment,
    from_local,
    resolve,
)
from foliot.client.endpoint import Endpoint
from foliot.client.private import write_private_file
from foliot.domain.errors import InvalidInput, NotFound
from foliot.domain.names import check_name, nearest
from foliot.domain.settings_table import CLIENT_SETTINGS

_NOT_BY_PROJECT: Final = ("token", *(one.name for one in CLIENT_SETTINGS if not one.is_for_projects))
_SAID_BY_ALL: Final = tuple(one.name for one in CLIENT_SETTINGS)


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


class SaidByProject(InvalidInput):
    """A project's foliot.toml names a token: it could name any file of the user who works on the project."""

    code = "FOL-1093"

    def __init__(self, file: Path, name: str) -> None:
        super().__init__(
            f"{file} sets {name}, which a project may not: it decides what of yours is sent to a server, and how.",
            hint="take it out; a token of your own: foliot login URL, or --token-file with --server",
            file=str(file),
            name=name,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One cluster as one user knows it."""

    name: str
    server: str
    namespace: str | None = None
    token_file: str | None = None
    ca_file: str | None = None
    insecure_http: str | None = None  # "yes": the user wants its token to go unencrypted


class Contexts:
    """The contexts of this user."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self.folder = _folder(self._environment)
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
                insecure_http=said.get("insecure_http"),
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
        """What a command works with. A server that only a project names gets what the user's own context has for it."""
        sources = self._sources(flags, folder or Path.cwd())
        chosen = choose(sources)
        if chosen is not None and chosen.kind is SourceKind.PROJECT and (known := self._known(chosen)):
            sources, chosen = [*sources, known], known
        return resolve(sources, chosen=chosen)

    def _sources(self, flags: Mapping[str, str | None], here: Path) -> list[EndpointSource]:
        flagged = EndpointSource(kind=SourceKind.FLAGS, says=self._from_flags(flags))
        environment = from_environment(self._environment)
        project = EndpointSource(kind=SourceKind.PROJECT, says=_from_project(here / PROJECT))
        named = flags.get("context") or self._environment.get("FOLIOT_CONTEXT")
        if named:
            return [flagged, self._from_context(named), environment, project]
        sources = [flagged, environment, project]
        if not any(source.server for source in sources):  # else nothing in it would count
            sources.append(from_local(here))
        _, current = self.all()
        return sources if current is None else [*sources, self._from_context(current)]

    def _known(self, project: EndpointSource) -> EndpointSource | None:
        """The user's own context for the server that a project names: what it has is for this very server."""
        contexts, current = self.all()
        wanted = _addresses(project.server)
        names = [name for name, context in contexts.items() if wanted <= _addresses(context.server)]
        return self._from_context(current if current in names else names[0]) if names else None

    def _from_flags(self, flags: Mapping[str, str | None]) -> dict[str, Setting]:
        return {
            name: Setting(value=value, said_by=flag_of(name)) for name in _SAID_BY_ALL if (value := flags.get(name))
        }

    def _from_context(self, name: str) -> EndpointSource:
        context = self.find(name)
        said = {one.name: getattr(context, one.name) for one in CLIENT_SETTINGS if one.is_of_contexts}
        says = {key: Setting(value=value, said_by=f"context {name}") for key, value in said.items() if value}
        return EndpointSource(kind=SourceKind.CONTEXT, says=says)

    def _save(self, contexts: Mapping[str, Context], current: str | None) -> None:
        lines = [f"current = {json.dumps(current)}"] if current else []
        for name in sorted(contexts):
            context = contexts[name]
            lines += ["", f"[contexts.{json.dumps(name)}]", f"server = {json.dumps(context.server)}"]
            for key in ("namespace", "token_file", "ca_file", "insecure_http"):
                if getattr(context, key):
                    lines.append(f"{key} = {json.dumps(getattr(context, key))}")
        self._write(self.file, "\n".join(lines) + "\n")

    def _write(self, file: Path, text: str) -> Path:
        """Write a file that only this user can read, whole or not at all."""
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private_file(file, text)
        return file


def find_settings(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Resolved:
    """What a program works with where nobody says more: the same as a command without options."""
    return Contexts(environment).resolve({}, folder=folder)


def find_endpoint(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Endpoint:
    """Where to ask: `FOLIOT_*`, else foliot.toml, else `./.foliot`, else the context in use, else `NoServerKnown`."""
    return find_settings(environment, folder).endpoint()


def _folder(environment: Mapping[str, str]) -> Path:
    """Where the user's contexts lie. A user without a home, as in some containers, has none."""
    if named := environment.get("FOLIOT_CONFIG"):
        return Path(named)
    if named := environment.get("XDG_CONFIG_HOME"):
        return Path(named) / "foliot"
    try:
        return Path.home() / ".config" / "foliot"
    except RuntimeError:
        return Path("/nonexistent") / "foliot"


def _addresses(written: str) -> frozenset[str]:
    return frozenset(part.strip().rstrip("/").lower() for part in written.split(",") if part.strip())


def _from_project(file: Path) -> dict[str, Setting]:
    said = _toml(file).get("client", {})
    if not isinstance(said, dict):
        return {}
    for name in _NOT_BY_PROJECT:
        if name in said:
            raise SaidByProject(file, name)
    return {name: Setting(value=str(said[name]), said_by=str(PROJECT)) for name in _SAID_BY_ALL if said.get(name)}


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableContexts(file, str(error)) from error
