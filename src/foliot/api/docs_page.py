"""`/api/docs`: the API as one page, made here. Nothing is loaded from anywhere else."""

import html
import json
from collections.abc import Mapping
from typing import Any, Final

from foliot.api.page_policy import hash_of

_STYLE: Final = """
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:#f4f4f6;padding:.7rem;overflow:auto;border-radius:4px}
h2{margin-top:2.5rem;border-bottom:1px solid #ddd}summary{cursor:pointer;padding:.25rem 0}
.m{display:inline-block;min-width:4.5rem;font-weight:600}.r{color:#666;float:right}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e8e8ea}pre{background:#22252b}h2{border-color:#333}}
"""

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src {hash_of(_STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
}


def docs_page(schema: Mapping[str, Any], rights: Mapping[tuple[str, str], str]) -> str:
    """The page of an OpenAPI document."""
    sections: dict[str, list[str]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            tag = (operation.get("tags") or ["other"])[0]
            right = rights.get((method.upper(), path), "")
            sections.setdefault(tag, []).append(_operation(method.upper(), path, operation, right))
    body = "".join(f"<h2>{html.escape(tag)}</h2>{''.join(parts)}" for tag, parts in sections.items())
    title = html.escape(schema["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><h1>{title}</h1>'
        f'<p>{html.escape(schema["info"].get("description", ""))} <a href="/api/v1/openapi.json">openapi.json</a></p>'
        f"{body}</body></html>"
    )


def _operation(method: str, path: str, operation: Mapping[str, Any], right: str) -> str:
    lines = [html.escape(operation.get("description", ""))]
    for parameter in operation.get("parameters", ()):
        said = html.escape(parameter.get("description", ""))
        lines.append(f"<code>{html.escape(parameter['name'])}</code> ({parameter['in']}) {said}")
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    shown = f"<pre>{html.escape(json.dumps(body, indent=1, ensure_ascii=False))}</pre>" if body else ""
    answers = ", ".join(html.escape(status) for status in operation.get("responses", {}))
    return (
        f'<details><summary><span class="m">{method}</span> <code>{html.escape(path)}</code> '
        f'{html.escape(operation.get("summary", ""))} <span class="r">{html.escape(right)}</span></summary>'
        f"<p>{'<br>'.join(lines)}</p>{shown}<p>answers: {answers}</p></details>"
    )
