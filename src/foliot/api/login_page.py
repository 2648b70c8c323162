"""`/login`: where a one-time link leads. A small page that buys a session with the code behind the `#`.

The code is in the fragment, which no browser sends: it is in no log on the way. Nothing is loaded from anywhere else.
"""

from collections.abc import Mapping
from typing import Final

from foliot.api.page_policy import hash_of
from foliot.words.language import Language

_SCRIPT: Final = """
const say = document.getElementById("say"), code = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
const show = (text, hint) => { say.textContent = text; document.getElementById("hint").textContent = hint || ""; };
const enter = async () => {
  const answer = await fetch("/api/v1/login", {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({code, cookie: true}),
  });
  const told = await answer.json();
  if (!answer.ok) { show(told.detail, told.hint); return; }
  show(document.body.dataset.done);
  document.getElementById("links").hidden = false;
};
if (code) { enter().catch((error) => show(String(error))); } else { show(document.body.dataset.none); }
"""
_STYLE: Final = """
body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.2rem}code{font:14px ui-monospace,monospace}#hint{color:#666}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e8e8ea}a{color:#8ab4f8}#hint{color:#9a9aa2}}
"""
_WORDS: Final[Mapping[Language, tuple[str, str, str, str]]] = {
    Language.ENGLISH: (
        "en",
        "Logging in …",
        "You are logged in on this browser for 30 days.",
        "This page needs a one-time code. Ask for a link: foliot login-link",
    ),
    Language.CHINESE: (
        "zh-CN",
        "正在登录……",
        "此浏览器已登录，有效 30 天。",
        "此页面需要一次性登录码。获取链接：foliot login-link",
    ),
}


HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        f"default-src 'none'; script-src {hash_of(_SCRIPT)}; style-src {hash_of(_STYLE)}; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
}


def login_page(language: Language) -> str:
    """The page in the reader's language."""
    tag, waiting, done, none = _WORDS[language]
    return (
        f'<!doctype html><html lang="{tag}"><head><meta charset="utf-8"><title>Foliot</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f'<body data-done="{done}" data-none="{none}"><h1>Foliot</h1><p id="say" role="status">{waiting}</p>'
        '<p id="hint"></p><p id="links" hidden><a href="/api/docs">API</a> · '
        f'<a href="/api/v1/cluster">cluster</a></p><script>{_SCRIPT}</script></body></html>'
    )
