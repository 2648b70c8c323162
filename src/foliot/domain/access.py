"""Access: what a token may do, and where. Deny by default.

A *scope* is what a token carries and what a route demands. `run` and `write` include `read`; `admin` includes those;
`worker` stands apart: it lets a process serve as a worker and read nothing; so does `lock`, which lets a program hold
locks, and `ping`, which lets a job outside of Foliot be heard of. `script` adds to `write`, or to a worker's
token, the right to define jobs that execute text (`SCRIPT_KINDS`, SEC-14); `admin` includes it. A token may be limited
to one namespace, and within it to the jobs of one group; what lies outside a namespace does not exist for it.

    Denied
    ├── NotLoggedIn       FOL-4002   no token, or one that is not (or no longer) good
    ├── ScopeMissing      FOL-4001   the token may not do this
    ├── ScriptDenied      FOL-4034   the token may not define jobs that execute text
    ├── BadLoginCode      FOL-4003   a login code that is wrong, used or too old
    ├── TooManyTries      FOL-4004   wrong codes too often
    ├── TokenElsewhere    FOL-4007   a worker's token is for another namespace or group
    ├── ForeignSession    FOL-4008   a worker registers in a session that another token began
    └── TokenInTheOpen    FOL-4020   a token that crossed a network unencrypted
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from foliot.domain.errors import Conflict, Denied, InvalidInput, NotFound
from foliot.domain.handler import SCRIPT_KINDS


class Scope(StrEnum):
    """What a token may do."""

    READ = "read"  # look at everything but secrets
    RUN = "run"  # trigger, cancel, retry, backfill
    WRITE = "write"  # definitions: create, change, pause, delete
    ADMIN = "admin"  # tokens, nodes, the cluster
    WORKER = "worker"  # the worker protocol, and nothing else
    SCRIPT = "script"  # with write or worker: define jobs that execute text
    LOCK = "lock"  # hold locks
    PING = "ping"  # let a check be heard of


IMPLIED: Final[Mapping[Scope, frozenset[Scope]]] = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.RUN: frozenset({Scope.RUN, Scope.READ}),
    Scope.WRITE: frozenset({Scope.WRITE, Scope.READ}),
    Scope.ADMIN: frozenset({Scope.ADMIN, Scope.WRITE, Scope.RUN, Scope.READ, Scope.SCRIPT, Scope.LOCK, Scope.PING}),
    Scope.WORKER: frozenset({Scope.WORKER}),
    Scope.SCRIPT: frozenset({Scope.SCRIPT}),
    Scope.LOCK: frozenset({Scope.LOCK}),
    Scope.PING: frozenset({Scope.PING}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who sends a request: a token's name, its scopes, and the part of the world it is limited to."""

    name: str
    scopes: frozenset[Scope]
    namespace: str | None = None  # None: all of them
    group: str | None = None
    token_id: str = ""
    line: str = ""  # the first of the tokens that took each other's place by rotation

    @property
    def may(self) -> frozenset[Scope]:
        """Every scope it has, the implied ones included."""
        return frozenset().union(*(IMPLIED[scope] for scope in self.scopes))

    @property
    def is_limited(self) -> bool:
        """Whether it is limited to a part of the world."""
        return self.namespace is not None or self.group is not None

    def sees(self, namespace: str) -> bool:
        """Whether this namespace exists for it."""
        return self.namespace is None or self.namespace == namespace

    def demand(self, scope: Scope, *, group: str | None = None) -> None:
        """Raise `ScopeMissing` unless it has the scope, and on this group if one is named."""
        if scope not in self.may:
            raise ScopeMissing(self, scope, group=group)
        if group is not None and self.group is not None and group != self.group and scope is not Scope.READ:
            raise ScopeMissing(self, scope, group=group)

    def demand_script(self, kind: str) -> None:
        """Raise `ScriptDenied` unless it may define a job of this kind: only kinds that execute text need a right."""
        if kind in SCRIPT_KINDS and Scope.SCRIPT not in self.may:
            raise ScriptDenied(self, kind)

    def demand_everywhere(self, scope: Scope) -> None:
        """Raise `ScopeMissing` unless it has the scope without limits: for what belongs to the whole cluster."""
        self.demand(scope)
        if self.is_limited:
            raise ScopeMissing(self, scope, everywhere="in every namespace")

    def demand_every_group(self, scope: Scope) -> None:
        """Raise `ScopeMissing` unless it has the scope for every group: for what belongs to none of them."""
        self.demand(scope)
        if self.group is not None:
            raise ScopeMissing(self, scope, everywhere="on every group")

    def demand_work(self, *, namespace: str | None = None, group: str | None = None) -> None:
        """Raise `TokenElsewhere` unless it may work for this namespace and group."""
        if namespace is not None and self.namespace not in (None, namespace):
            raise TokenElsewhere("namespace", self.namespace, asked=namespace)
        if group is not None and self.group not in (None, group):
            raise TokenElsewhere("group", self.group, asked=group)

    def demand_session(self, *, owner: str | None, namespace: str | None, group: str) -> None:
        """Raise `ForeignSession` unless a session is its own, or nobody's and for its namespace (None: all) and group.

        A session is its own when the token that began it is of the same line. None: it began before that was recorded.
        """
        if owner not in (None, self.line):
            raise ForeignSession
        if self.namespace not in (None, namespace) or self.group not in (None, group):
            raise ForeignSession


INTERNAL: Final = Principal(name="foliot", scopes=frozenset({Scope.ADMIN}), line="foliot")
"""The server itself, where it asks on nobody's behalf; and a worker inside a server's process, which has no token."""


def parse_scopes(written: Iterable[str]) -> frozenset[Scope]:
    """Read scopes exactly: no prefixes, no other case, at least one."""
    scopes = set()
    for word in written:
        try:
            scopes.add(Scope(word))
        except ValueError:
            raise BadScope(word) from None
    if not scopes:
        raise BadScope("")
    return frozenset(scopes)


class BadScope(InvalidInput):
    """A scope that does not exist."""

    code = "FOL-1060"

    def __init__(self, written: str) -> None:
        super().__init__(f'"{written[:50]}" is not a scope.', hint=f"scopes: {', '.join(Scope)}", written=written)


class BadToken(InvalidInput):
    """A token that must not be used: too short, or a value everybody knows."""

    code = "FOL-1061"

    def __init__(self, trouble: str) -> None:
        super().__init__(
            f"The given token cannot be used: {trouble}.",
            hint="use 32 or more random characters, or leave the file away and one is made for you",
            trouble=trouble,
        )


class TokenNotFound(NotFound):
    """No token has this name or id."""

    code = "FOL-2006"

    def __init__(self, written: str) -> None:
        super().__init__(f'No token "{written[:100]}".', written=written)


class NotLoggedIn(Denied):
    """No token, or one that is not (or no longer) good."""

    code = "FOL-4002"

    def __init__(self, trouble: str = "no token was given") -> None:
        super().__init__(f"Not logged in: {trouble}.", trouble=trouble)
        self.trouble = trouble


class ScopeMissing(Denied):
    """The token may not do this."""

    code = "FOL-4001"

    def __init__(
        self, who: Principal, needed: Scope, *, group: str | None = None, everywhere: str | None = None
    ) -> None:
        has = [scope for scope in Scope if scope in who.may]
        scopes = f"the scope{'' if len(has) == 1 else 's'} {' and '.join(has)}" if has else "no scope"
        where = f" {everywhere}" if everywhere else f" on group {group}" if group else ""
        super().__init__(
            f"This token has {scopes}, but this needs the scope {needed}{where}.",
            has=list(has),
            needed=str(needed),
            group=None if everywhere else group,
            everywhere=everywhere,
        )


class ScriptDenied(Denied):
    """The token may not define jobs that execute text."""

    code = "FOL-4034"

    def __init__(self, who: Principal, kind: str) -> None:
        beside = Scope.WORKER if Scope.WORKER in who.may else Scope.WRITE
        super().__init__(
            f"A {kind} job executes text: to define one, this token needs the scope script.",
            kind=kind,
            beside=str(beside),
        )


class TokenElsewhere(Denied):
    """A worker's token is for another namespace or group."""

    code = "FOL-4007"

    def __init__(self, kind: Literal["namespace", "group"], allowed: str | None, *, asked: str) -> None:
        asked = asked[:100]
        super().__init__(
            f"This worker's token is for {kind} {allowed}, not for {kind} {asked}.",
            kind=kind,
            allowed=allowed,
            asked=asked,
        )


class ForeignSession(Denied):
    """A worker registers in a session that another token began."""

    code = "FOL-4008"

    def __init__(self) -> None:
        super().__init__(
            "Another token began this session, so this worker's token cannot be used in it.",
            hint="restart the worker: it begins a session of its own",
        )


class TooManySessions(Conflict):
    """A token has as many live sessions of workers as it may have."""

    code = "FOL-3026"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This token has {most} live sessions of workers, which is the most.",
            hint="stop workers that are not needed, or give some of them another token",
            most=most,
        )


class TooMuchOffered(Conflict):
    """The live sessions of a token say more, in different words, than every server should hold in memory."""

    code = "FOL-3027"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The workers of this token say more than {most // 2**20} MiB of their handlers, which is the most.",
            hint="give each worker only the modules it needs, or give some of them another token",
            most=most,
        )


class TokenInTheOpen(Denied):
    """A token that crossed a network unencrypted."""

    code = "FOL-4020"

    def __init__(self) -> None:
        super().__init__("The token came over plain HTTP: others may have read it.")


class BadLoginCode(Denied):
    """A login code that is wrong, used or too old."""

    code = "FOL-4003"

    def __init__(self) -> None:
        super().__init__("This login code is wrong, was used before, or is older than 15 minutes.")


class TooManyTries(Denied):
    """Wrong codes too often."""

    code = "FOL-4004"

    def __init__(self, *, retry_after_s: int) -> None:
        super().__init__(
            f"Too many wrong tries; the next is allowed in {retry_after_s} s.",
            retry_after_s=retry_after_s,
        )
        self.retry_after_s = retry_after_s


# ---------------------------------------------------------------------------------------------------------- secrets

SECRET_LENGTH_MIN: Final = 32
KNOWN_SECRETS: Final = frozenset(
    {"default_token", "changeme", "change-me", "secret", "password", "token", "admin", "foliot", "test", "example"}
)


def check_secret(written: str) -> str:
    """A token that a user chose, unless others could guess it (SEC-01)."""
    secret = written.strip()
    if not secret:
        raise BadToken("it is empty")
    if secret.lower().strip("\"'") in KNOWN_SECRETS:
        raise BadToken("it is a sample value that everybody knows")
    if len(secret) < SECRET_LENGTH_MIN:
        raise BadToken(f"it has {len(secret)} characters, fewer than {SECRET_LENGTH_MIN}")
    if len(secret) > 500 or not all("!" <= letter <= "~" for letter in secret):
        raise BadToken("it must be one line of at most 500 printable ASCII characters without spaces")
    if len(set(secret)) < 8:
        raise BadToken("its characters repeat")
    return secret


_CODE_LETTERS: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that is misread on a screen


def login_code(randomness: str) -> str:
    """A one-time code for people, of some 58 bits: `7Q4M-2XKD-9TRA`. `randomness`: hexadecimal digits."""
    value = int(randomness, 16)
    letters = []
    for _ in range(12):
        value, at = divmod(value, len(_CODE_LETTERS))
        letters.append(_CODE_LETTERS[at])
    return "-".join("".join(letters[i : i + 4]) for i in (0, 4, 8))


def plain_code(written: str) -> str:
    """The code as compared: case, spaces and hyphens are forgiven."""
    return "".join(letter for letter in written.upper() if letter.isalnum())[:40]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a new token shall be allowed."""

    scopes: frozenset[Scope]
    namespace: str | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        limited = self.namespace is not None or self.group is not None
        if limited and self.scopes & {Scope.ADMIN}:
            raise BadScope("admin, limited to a namespace,")


class TokenNameTaken(Conflict):
    """A good token has this name already."""

    code = "FOL-3010"

    def __init__(self, name: str) -> None:
        super().__init__(f'There is a token "{name[:100]}" already.', name=name[:100])
