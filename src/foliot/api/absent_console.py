"""The page of a server whose package holds no console: it says so, and how to build one."""

from collections.abc import Mapping
from typing import Final

from foliot.api.page_policy import hash_of
from foliot.words.language import Language

_STYLE: Final = """
body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.2rem}code{font:14px ui-monospace,monospace}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e8e8ea}a{color:#8ab4f8}}
"""
_WORDS: Final[Mapping[Language, tuple[str, str, str]]] = {
    Language.ENGLISH: (
        "en",
        "The console was not built into this installation. In a clone of Foliot, build it and start the server again:",
        "The API and the command line work without it:",
    ),
    Language.CHINESE: (
        "zh-CN",
        "此安装中没有构建控制台。请在 Foliot 的代码库中构建，然后重新启动服务器：",
        "没有控制台，API 和命令行也能使用：",
    ),
}
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src {hash_of(_STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
}
COMMAND: Final = "make console-build"


def missing_page(language: Language) -> str:
    """The page in the reader's language."""
    tag, missing, others = _WORDS[language]
    return (
        f'<!doctype html><html lang="{tag}"><head><meta charset="utf-8"><title>Foliot</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><h1>Foliot</h1>'
        f"<p>{missing} <code>{COMMAND}</code></p>"
        f'<p>{others} <a href="/api/docs">/api/docs</a> · <code>foliot --help</code></p></body></html>'
    )
