"""Text without the secrets of the addresses in it: drivers and clients put whole addresses into errors (SEC-19).

`postgresql://app:secret@db/prod?password=secret` is kept as `postgresql://app:***@db/prod?password=***`.
People also write passwords that an address cannot hold (`pa/ss`, `s#cr`). What cannot be told apart is hidden.
"""

import re
from typing import Final

HIDDEN: Final = "***"

# No part of these can match in two ways, no address goes on beyond white space, a quote or a bracket, and each part of
# a text is looked at a fixed number of times: so the time is linear in the text, whatever a job writes (SEC-32).
_BEHIND_SCHEME: Final = re.compile(r"""://([^\s"'<>]+)""")
_USER: Final = re.compile(r"[^/?#:@]*")
_PORT: Final = re.compile(r"[0-9]{1,5}[/?#]")
_IPV6_HOST: Final = re.compile(r"\[[0-9A-Fa-f:.]*\]")
_END_OF_HOST: Final = re.compile(r"[/?#]")
_END_OF_PATH: Final = re.compile(r"[?#]")
_IN_QUERY: Final = re.compile(
    r"""([?&](?:access_?token|api_?key|client_?secret|passw(?:or)?d|pwd|secret|sig(?:nature)?|token"""
    r"""|x-(?:amz|goog)-(?:credential|security-token|signature))=)[^\s&#"'<>]+""",
    re.IGNORECASE,
)
_LONG_WORD: Final = re.compile(r"[A-Za-z0-9_+=-]{32,}")  # what a token looks like; a path has slashes and dots between
_WEB: Final = ("http", "https", "ws", "wss")
_NO_PASSWORDS: Final = ("", "x-oauth-basic")  # what stands behind the colon when the user's name is a token


def redacted(text: str) -> str:
    """The text; in each address, `***` stands for the password and for the secrets among its query parameters."""
    if "://" not in text:
        return text
    return _IN_QUERY.sub(rf"\1{HIDDEN}", _BEHIND_SCHEME.sub(_without_passwords, text))


def without_tokens(text: str) -> str:
    """The text; `***` stands for each word that may be a token: long, and with letters and digits."""
    return _LONG_WORD.sub(_hidden_token, text)


def _hidden_token(found: re.Match[str]) -> str:
    word = found[0]
    has_both = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return HIDDEN if has_both else word


def _without_passwords(found: re.Match[str]) -> str:
    """One address, or several that no white space divides."""
    before = found.string[max(0, found.start() - 5) : found.start()]
    kept = [""]
    for part in found[1].split("://"):
        is_web = before.lower().endswith(_WEB)
        kept.append(_without_password(part, is_web=is_web))
        before = part[-5:]
    return "://".join(kept)


def _without_password(address: str, *, is_web: bool) -> str:
    """What stands behind `://`, without the password; on the web without a user that has none: that is a token."""
    user = _USER.match(address)
    if user is None or _IPV6_HOST.match(address):
        return address
    end = user.end()
    divider = address[end : end + 1]
    if divider == "@" and is_web:
        return HIDDEN + address[end:]
    if divider != ":":
        return address
    if is_web and _PORT.match(address, end + 1):
        return address
    first = address.find("@", end + 1)
    if first < 0:
        return address
    last = _last_at(address, first, is_web=is_web)
    if is_web and address[end + 1 : last] in _NO_PASSWORDS:
        return f"{HIDDEN}:{address[end + 1 :]}"
    return f"{address[: end + 1]}{HIDDEN}{address[last:]}"


def _last_at(address: str, first: int, *, is_web: bool) -> int:
    """Where the password ends. A path on the web often holds an @ (a version, a person); one of a database does not."""
    beyond = (_END_OF_HOST if is_web else _END_OF_PATH).search(address, first)
    return address.rfind("@", first, beyond.start() if beyond else len(address))
