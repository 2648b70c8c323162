"""Texts cut to what a provider takes, with a mark where something is missing, and escaped as it wants them."""

from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import Final

from foliot.ports.notifier import CUT_MARK, AlertMessage

SENTENCE_LEAST: Final = 100
MARK: Final = f" {CUT_MARK}"


def cut(text: str, letters_max: int) -> str:
    """At most so many letters."""
    if len(text) <= letters_max:
        return text
    return text[: max(0, letters_max - len(MARK))] + MARK


def cut_bytes(text: str, bytes_max: int) -> str:
    """At most so many bytes of UTF-8; no letter is cut in two."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= bytes_max:
        return text
    room = max(0, bytes_max - len(MARK.encode()))
    return encoded[:room].decode("utf-8", "ignore") + MARK


def fitted(message: AlertMessage, write: Callable[[AlertMessage], str], bytes_max: int) -> str:
    """The message as one text that fits. The oldest lines of its log go first, then the end of its sentence; the links
    stay.
    """
    text = write(message)
    kept = list(message.log)
    while kept and len(text.encode("utf-8", "replace")) > bytes_max:
        kept = kept[len(kept) // 4 + 1 :]
        text = write(replace(message, log=[CUT_MARK, *kept] if kept else ()))
    short = replace(message, log=()) if not kept else message
    while len(short.text) > SENTENCE_LEAST and len(text.encode("utf-8", "replace")) > bytes_max:
        short = replace(short, text=cut(short.text, len(short.text) // 2))
        text = write(short)
    return cut_bytes(text, bytes_max)


def as_text(message: AlertMessage) -> str:
    """Everything that the message says, in plain lines."""
    lines = [message.text] if message.text else []
    lines += [f"{name}: {value}" for name, value in message.facts.items()]
    if message.log:
        lines += ["", f"{message.log_title}:", *message.log]
    if message.link:
        lines += ["", f"{message.link_title}: {message.link}"]
    if message.runbook.startswith(("https://", "http://")):
        lines.append(f"{message.runbook_title}: {message.runbook}")
    return "\n".join(lines)


def as_markdown(message: AlertMessage, *, fence: str = "```") -> str:
    """The same in the markdown that most providers share. Text of users is made plain first."""
    lines = [f"### {plain(message.heading)}", ""]
    if message.text:
        lines += [plain(message.text), ""]
    lines += [f"- **{plain(name)}**: {plain(value)}" for name, value in message.facts.items()]
    if message.log:
        shown = "\n".join(line.replace("`", "'") for line in message.log)
        lines += ["", f"**{plain(message.log_title)}**", "", f"{fence}\n{shown}\n{fence}" if fence else shown]
    links = [f"[{plain(title)}]({_address(to)})" for title, to in _links(message)]
    if links:
        lines += ["", " · ".join(links)]
    return "\n".join(lines)


def as_html(message: AlertMessage) -> str:
    """The same as HTML, everything escaped."""
    parts = [f"<h3>{escape(message.heading)}</h3>"]
    if message.text:
        parts.append(f"<p>{escape(message.text)}</p>")
    rows = "".join(f"<tr><th align='left'>{escape(n)}</th><td>{escape(v)}</td></tr>" for n, v in message.facts.items())
    if rows:
        parts.append(f"<table>{rows}</table>")
    if message.log:
        shown = escape("\n".join(message.log))
        parts.append(f"<p><b>{escape(message.log_title)}</b></p><pre>{shown}</pre>")
    links = [f'<a href="{escape(to, quote=True)}">{escape(title)}</a>' for title, to in _links(message)]
    if links:
        parts.append(f"<p>{' · '.join(links)}</p>")
    return "".join(parts)


def plain(text: str) -> str:
    """Text whose letters mean nothing in markdown: a job's name must not make links or mention people."""
    out = []
    for letter in text.replace("\n", " "):
        if letter in "\\`*_[]<>#|~@":
            out.append("\\")
        out.append(letter)
    return "".join(out)


def _links(message: AlertMessage) -> list[tuple[str, str]]:
    found = [(message.link_title, message.link), (message.runbook_title, message.runbook)]
    return [(title, to) for title, to in found if to.startswith(("https://", "http://"))]


def _address(to: str) -> str:
    return to.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
