"""E-mail over SMTP, with TLS from the beginning or by STARTTLS, and never without unless the settings say so."""

import asyncio
import contextlib
import re
import socket
from collections.abc import Mapping
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any, Final

from foliot.domain.errors import BadField
from foliot.domain.instants import to_datetime
from foliot.notify.cuts import as_html, as_text, cut
from foliot.notify.posts import CONNECT_S, reachable, tls_context
from foliot.notify.schemas import secret, settings, text, texts
from foliot.ports.notifier import AlertMessage, NotifyRules, NotSent

PORTS: Final = {"implicit": 465, "starttls": 587, "none": 25}
SUBJECT_MAX: Final = 200
TEXT_MAX: Final = 100_000
_ADDRESS: Final = re.compile(r"[^\s@<>,;\"\r\n]+@[^\s@<>,;\"\r\n]+")


class Email:
    """The kind."""

    name = "email"
    schema = settings(
        ("host", "from", "to"),
        **{
            "host": text("The mail server.", example="smtp.example.org"),
            "port": {"type": "integer", "minimum": 1, "maximum": 65535, "description": "465, 587 or 25, as tls says."},
            "tls": {"enum": sorted(PORTS), "default": "starttls", "description": "How the connection is encrypted."},
            "username": text("Who logs in."),
            "password": secret("The password."),
            "from": text("The address that it comes from.", example="foliot@example.org"),
            "to": texts("The addresses that it goes to."),
        },
    )

    def make(self, settings: Mapping[str, Any], rules: NotifyRules) -> "EmailChannel":
        for field in ("from", "to"):
            written = settings[field]
            for address in [written] if isinstance(written, str) else written:
                if not _ADDRESS.fullmatch(address):
                    raise BadField(f"settings.{field}", f'"{address[:80]}" is not an address')
        if not settings["to"]:
            raise BadField("settings.to", "it names nobody")
        if settings.get("tls") == "none" and settings.get("password"):
            raise BadField("settings.tls", "a password does not go over a connection that the network can read")
        return EmailChannel(settings, rules)


class EmailChannel:
    """One mail server and the people behind it."""

    def __init__(self, settings: Mapping[str, Any], rules: NotifyRules) -> None:
        self._settings = settings
        self._tls = str(settings.get("tls") or "starttls")
        self._port = int(settings.get("port") or PORTS[self._tls])
        self._rules = rules

    def shown(self, message: AlertMessage) -> dict[str, Any]:
        return {
            "from": str(self._settings["from"]),
            "to": list(self._settings["to"]),
            "subject": subject(message),
            "text": cut(message.page_text or as_text(message), TEXT_MAX),
            "html": message.page_html or as_html(message),
        }

    async def send(self, message: AlertMessage) -> None:
        import aiosmtplib

        host = str(self._settings["host"])
        try:
            async with asyncio.timeout(self._rules.within_s) as limit:
                addresses = await reachable(host, self._port, self._rules.egress)
                connection = await _connected([str(address) for address in addresses], self._port)
                client = aiosmtplib.SMTP(
                    hostname=host,
                    sock=connection,
                    timeout=self._rules.within_s,
                    use_tls=self._tls == "implicit",
                    start_tls=self._tls == "starttls",
                    tls_context=None if self._tls == "none" else tls_context(self._rules),
                )
                try:
                    async with client:
                        await self._delivered(client, message)
                finally:
                    connection.close()
        except aiosmtplib.SMTPException as error:  # before TimeoutError, which some of these are, too
            raise _told(error) from None
        except TimeoutError:
            raise NotSent(f"no answer within {self._rules.within_s:g} s", may_have_arrived=limit.expired()) from None
        except OSError:
            raise NotSent(f"no connection to {host[:100]}:{self._port}") from None

    async def _delivered(self, client: Any, message: AlertMessage) -> None:
        username, password = self._settings.get("username"), self._settings.get("password")
        if username and password:
            await client.login(username, password)
        mail = letter(message, self.shown(message))
        await client.send_message(mail, sender=self._settings["from"], recipients=list(self._settings["to"]))


def subject(message: AlertMessage) -> str:
    """The heading as one line."""
    return cut(" ".join(message.heading.split()), SUBJECT_MAX)


def letter(message: AlertMessage, shown: Mapping[str, Any]) -> EmailMessage:
    """The mail. Its id is the delivery's, so that programs see a repeat; mails of one trouble are one thread."""
    mail = EmailMessage()
    domain = shown["from"].rpartition("@")[2]
    mail["Subject"] = shown["subject"]
    mail["From"] = shown["from"]
    mail["To"] = ", ".join(shown["to"])
    mail["Date"] = format_datetime(to_datetime(message.sent_at))
    mail["Message-ID"] = f"<{message.delivery_id}@{domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail["Foliot-Delivery"] = message.delivery_id
    if message.is_repeat:
        mail["Foliot-Repeat"] = "possible"
    mail.set_content(shown["text"])
    mail.add_alternative(shown["html"], subtype="html")
    return mail


async def _connected(addresses: list[str], port: int) -> socket.socket:
    """A connection to the first address that takes one."""
    for address in addresses[:-1]:
        with contextlib.suppress(OSError):  # a TimeoutError is one, too
            return await _connected_to(address, port)
    return await _connected_to(addresses[-1], port)


async def _connected_to(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.setblocking(False)
    try:
        async with asyncio.timeout(CONNECT_S):
            await asyncio.get_running_loop().sock_connect(connection, (address, port))
    except BaseException:
        connection.close()
        raise
    return connection


def _told(error: Exception) -> NotSent:
    """In our words: those of the server may hold addresses and more."""
    import aiosmtplib

    code = getattr(error, "code", None)
    shown = f" (code {code})" if isinstance(code, int) else ""
    if isinstance(error, aiosmtplib.SMTPAuthenticationError):
        return NotSent(f"the mail server refused the login{shown}")
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        codes = {refused.code for refused in error.recipients}
        return NotSent(f"the mail server refused every address ({', '.join(map(str, sorted(codes)))})")
    if isinstance(error, aiosmtplib.SMTPResponseException):
        is_final = isinstance(error, aiosmtplib.SMTPDataError) and 500 <= error.code < 600
        return NotSent(f"the mail server refused it{shown}", is_final=is_final)
    if isinstance(error, aiosmtplib.SMTPServerDisconnected):
        return NotSent("the connection to the mail server broke", may_have_arrived=True)
    if isinstance(error, aiosmtplib.SMTPTimeoutError):
        return NotSent("the mail server did not answer in time", may_have_arrived=True)
    return NotSent(f"the mail could not be sent ({type(error).__name__})")
