"""What a server's refusal becomes here: the same family of errors, found by code."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from foliot.domain.errors import (
    ClusterTrouble,
    Conflict,
    Denied,
    ExecutionFailed,
    FoliotError,
    InvalidInput,
    NotFound,
    StorageTrouble,
    Unanswered,
)

BRANCHES: Final[Mapping[str, type[FoliotError]]] = {
    "1": InvalidInput,
    "2": NotFound,
    "3": Conflict,
    "4": Denied,
    "5": ClusterTrouble,
    "6": ExecutionFailed,
    "7": StorageTrouble,
}
_BY_STATUS: Final[Mapping[int, type[FoliotError]]] = {
    400: InvalidInput,
    401: Denied,
    403: Denied,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    422: InvalidInput,
    428: Conflict,
}


def error_of(status: int, problem: Mapping[str, Any], *, url: str) -> FoliotError:
    """The error that a problem document stands for: of the class that owns its code, else of its branch."""
    code = str(problem.get("code", ""))
    kind = next((known for known in family() if vars(known).get("code") == code), None) or BRANCHES.get(code[4:5])
    kind = kind or _BY_STATUS.get(status, ClusterTrouble)
    sentence = str(problem.get("detail") or problem.get("title") or f"{url} answered {status}.")
    error = kind.__new__(kind)
    FoliotError.__init__(
        error,
        sentence,
        hint=_with_address(problem.get("hint"), url),
        **{name: value for name, value in problem.items() if name not in ("detail", "hint", "sentence")},
    )
    if code and error.code != code:
        vars(error)["code"] = code
    return error


def _with_address(hint: Any, url: str) -> Any:
    """The next step of an answer with the server's own address: it cannot know how it is reached."""
    if not isinstance(hint, str):
        return hint
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0]
    return hint.replace("foliot login URL", f"foliot login {scheme}://{host}")


def family(kind: type[FoliotError] = FoliotError) -> Iterator[type[FoliotError]]:
    """Every known class of the family, the particular ones first."""
    for child in kind.__subclasses__():
        yield from family(child)
    yield kind


class ServerAway(Unanswered):
    """No server answers."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(
            f"No answer from {url} ({why}).",
            hint="is it up? foliot up · other server: --server · contexts: foliot context list",
            url=url,
            why=why,
        )


class NoTokenKnown(Denied):
    """A worker was given no token."""

    code = "FOL-4030"

    def __init__(self, url: str, *, has_another: bool = False) -> None:
        another = "; that of FOLIOT_TOKEN_FILE is for FOLIOT_SERVER" if has_another else ""
        super().__init__(
            f"No token is known for {url}, and a worker needs one{another}.",
            hint="make one: foliot token create NAME --scope worker --write FILE; then --token-file FILE",
            url=url,
            another="FOLIOT_TOKEN_FILE" if has_another else None,
        )


class CertificateRefused(ServerAway):
    """A server shows a certificate that this client does not believe."""

    code = "FOL-5035"

    def __init__(self, url: str, why: str) -> None:
        problem, sentence, hint = _CERTIFICATE_TROUBLES["other"]
        for words, known in _CERTIFICATE_TROUBLES.items():
            if words in why.lower():
                problem, sentence, hint = known
        FoliotError.__init__(self, f"The certificate of {url} {sentence}.", hint=hint, url=url, problem=problem)


_UNKNOWN: Final = (
    "unknown",
    "is signed by an authority that is not known here",
    "name the file of that authority: --ca-file FILE, FOLIOT_CA_FILE, or in code ca_file=",
)
_CERTIFICATE_TROUBLES: Final[Mapping[str, tuple[str, str, str]]] = {
    "other": ("other", "is not accepted here", "look at it: openssl x509 -noout -text -in FILE"),
    "issuer": _UNKNOWN,
    "self-signed": _UNKNOWN,
    "self signed": _UNKNOWN,
    "mismatch": ("name", "is for another name", "ask the server by a name that stands in its certificate"),
    "expired": ("expired", "has expired", "renew it; is the clock of this machine right?"),
    "not yet valid": ("expired", "is not valid yet", "is the clock of this machine right?"),
}
"""What OpenSSL says → the kind of trouble, what is wrong, the next step."""


class OtherProtocol(ServerAway):
    """A server speaks TLS and was asked without it, or the other way round."""

    code = "FOL-5036"

    def __init__(self, url: str) -> None:
        scheme, _, rest = url.partition("://")
        is_tls = scheme == "http"  # so much is known: the other protocol is spoken
        FoliotError.__init__(
            self,
            f"{url} speaks TLS, and was asked without it." if is_tls else f"{url} does not speak TLS.",
            hint=f"use {'https' if is_tls else 'http'}://{rest}",
            url=url,
            tls="TLS" if is_tls else None,
            right=f"{'https' if is_tls else 'http'}://{rest}",
        )


def unreached(url: str, why: str) -> ServerAway:
    """The error of a connection that failed for this reason."""
    said = why.lower()
    if "certificate" in said and ("verify" in said or "ssl" in said):
        return CertificateRefused(url, why)
    if url.startswith("https:") and ("wrong_version_number" in said or "wrong version number" in said):
        return OtherProtocol(url)
    if url.startswith("https:") and "record layer" in said:
        return OtherProtocol(url)
    return ServerAway(url, why)


class StrangeAnswer(ClusterTrouble):
    """Something answered that is not a Foliot server: the login page of a proxy, another program on that port."""

    code = "FOL-5032"

    def __init__(self, url: str, content_type: str) -> None:
        super().__init__(
            f"{url} did not answer as a Foliot server does: its answer is {content_type or 'of no type'}.",
            hint="is the address right? foliot context list · is it that of a proxy, or of another program?",
            url=url,
            content_type=content_type,
        )


class NoServerKnown(ClusterTrouble):
    """Nobody said which server to ask."""

    code = "FOL-5030"

    def __init__(self) -> None:
        super().__init__(
            "No server is known here: there is no ./.foliot/client.json, and FOLIOT_SERVER is not set.",
            hint="start one in this folder: foliot up · or name one: --server URL, foliot context add NAME --url URL, "
            "in code foliot.configure(URL, token=...)",
        )


class RunNotSucceeded(ExecutionFailed):
    """The result of a run was asked for, and the run did not succeed."""

    code = "FOL-6011"

    def __init__(self, run: str, job: str, state: str, kind: str | None, error: str | None) -> None:
        how = f"{state.lower()} ({kind})" if kind else state.lower()
        super().__init__(
            f"{job} {run} {how}{f': {error}' if error else ''}.".replace("..", "."),
            hint=f"foliot run logs {run}",
            run=run,
            job=job,
            state=state,
            kind=kind,
            error=error,
        )


class DrillNotOver(ClusterTrouble):
    """The drill was not over in the time that the caller gave it."""

    code = "FOL-5060"

    def __init__(self, number: int) -> None:
        super().__init__(f"Drill {number} is not over yet.", id=number)


class RunNotFinished(ExecutionFailed):
    """The run did not end in the time that the caller gave it, or the caller did not wait."""

    code = "FOL-6012"

    def __init__(self, run: str, job: str, state: str, waited: str | None = None) -> None:
        super().__init__(
            f"{job} {run} is still {state} after {waited}."
            if waited
            else f"{job} {run} is {state} and has no result yet.",
            hint=f"it goes on; look again with foliot run watch {run}",
            run=run,
            job=job,
            state=state,
        )
