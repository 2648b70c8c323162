"""Callbacks: how a system that a run waits for proves who it is, and when a signed message counts.

The worker gives the system a URL and a one-time token. The store keeps the token's SHA-256 alone, the *key*. A message
carries the token itself (`Authorization: Bearer …`), or a signature that the token makes (SEC-29):

    Foliot-Signature: t=1767225600.25,v1=<hex of HMAC-SHA256(key, "1767225600.25." + body)>

`t` is in seconds since 1970. Whoever sees a signed message cannot make another one, and cannot send it again later.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Final

from foliot.domain.errors import Conflict, InvalidInput, NotFound
from foliot.domain.instants import MINUTE, SECOND, Instant, Micros

WINDOW_US: Final[Micros] = 5 * MINUTE
BODY_BYTES_MAX: Final = 256 * 1024  # a result of the largest size, written with escapes, and words around it
BEARER: Final = "bearer "
_SIGNATURE: Final = re.compile(r"t=([0-9]{1,12})(?:\.([0-9]{1,6}))?,v1=([0-9a-f]{64})")


class CallbackNotFound(NotFound):
    """No callback has this address and token. A wrong token is answered just like an unknown address."""

    code = "FOL-2012"

    def __init__(self) -> None:
        super().__init__(
            "There is no such callback, or the token or the signature is wrong.",
            hint="send Authorization: Bearer TOKEN, or sign the body: Foliot-Signature: t=SECONDS,v1=HMAC",
        )


class StaleSignature(InvalidInput):
    """A signature that is right, with a time stamp too far from the store's time."""

    code = "FOL-1150"

    def __init__(self, off_us: Micros) -> None:
        window_s, off_s = WINDOW_US // SECOND, round(off_us / SECOND)
        super().__init__(
            f"The time stamp of the signature is {off_s} s off; {window_s} s are allowed.",
            hint="set the clock of the machine that signs, and sign the message anew",
            off_s=off_s,
            window_s=window_s,
        )


class CallbackOver(Conflict):
    """The attempt that waited for this callback is over: a callback changes nothing any more."""

    code = "FOL-3032"

    def __init__(self) -> None:
        super().__init__(
            "The attempt that waited for this callback is over; nothing was changed.",
            hint="a later attempt of the run has a callback URL of its own",
        )


class CallbackEndedOtherwise(Conflict):
    """The callback has brought another end already."""

    code = "FOL-3033"

    def __init__(self) -> None:
        super().__init__(
            "This callback has ended the attempt already, in another way; nothing was changed.",
            hint="one end counts: the first",
        )


class CallbackReplayed(Conflict):
    """A signed word about progress that is not newer than the last one."""

    code = "FOL-3034"

    def __init__(self) -> None:
        super().__init__(
            "A message with this time stamp, or a later one, came before; nothing was changed.",
            hint="each message needs a later time stamp; fractions of a second count",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a message carries to prove who sent it. Nothing is judged yet."""

    token: str = ""
    signature: str = ""  # hex
    stamp: str = ""  # as it was written: the signature covers it
    said_at: Instant | None = None  # the stamp as an instant; None: the message is not signed

    def is_by(self, key: str, body: bytes) -> bool:
        """Whether the holder of the token with this key sent the body; in the same time for each wrong one."""
        if self.said_at is None:
            return hmac.compare_digest(key_of(self.token), key)
        return hmac.compare_digest(signature_of(key, self.stamp, body), self.signature)

    def check_time(self, now: Instant) -> None:
        """Raise `StaleSignature` for a signed message outside of the window."""
        if self.said_at is None:
            return
        off_us = abs(now - self.said_at)
        if off_us > WINDOW_US:
            raise StaleSignature(off_us)


def read_proof(*, authorization: str, signature: str) -> Proof:
    """What the headers of a message prove; `CallbackNotFound` when they hold neither a token nor a signature."""
    matched = _SIGNATURE.fullmatch(signature.strip())
    if matched is not None:
        whole, fraction, written = matched.groups()
        said_at = int(whole) * SECOND + int((fraction or "").ljust(6, "0"))
        stamp = whole if fraction is None else f"{whole}.{fraction}"
        return Proof(signature=written, stamp=stamp, said_at=said_at)
    if not signature and authorization.lower().startswith(BEARER):
        return Proof(token=authorization[len(BEARER) :].strip())
    raise CallbackNotFound


def key_of(token: str) -> str:
    """The key that a token stands for, in hex: what the store keeps of it."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def signature_of(key: str, stamp: str, body: bytes) -> str:
    """The signature of a body, in hex."""
    return hmac.new(key.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
