"""Text without the secrets of the addresses in it: drivers and clients put whole addresses into errors (SEC-19).

`postgresql://app:secret@db/prod?password=secret` is kept as `postgresql://app:***@db/prod?password=***`.
"""

import re
from typing import Final

HIDDEN: Final = "***"

# No part of these can match in two ways, and no address goes on beyond white space, a quote or a bracket: so the time
# they take is linear in the text, whatever a job writes (SEC-32).
_PASSWORD: Final = re.compile(r"""(://[^\s/?#:@"'<>]*:)[^\s/?#"'<>]*@""")
_IN_QUERY: Final = re.compile(
    r"""([?&](?:access_?token|api_?key|client_?secret|passw(?:or)?d|pwd|secret|sig(?:nature)?|token)=)[^\s&#"'<>]+""",
    re.IGNORECASE,
)


def redacted(text: str) -> str:
    """The text; in each address, `***` stands for the password and for the secrets among its query parameters."""
    if "://" not in text:
        return text
    return _IN_QUERY.sub(rf"\1{HIDDEN}", _PASSWORD.sub(rf"\1{HIDDEN}@", text))
