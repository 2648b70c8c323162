"""`foliot login|logout|whoami|login-link`: getting in and out."""

from pathlib import Path
from urllib.parse import urlsplit

import click

from foliot.cli.server_access import User, remote
from foliot.cli.terminal import echo
from foliot.client.endpoint import BadServer
from foliot.client.loopback import is_on_this_machine
from foliot.domain.visible import visible_line


@click.command()
@click.argument("url", required=False)
@click.option("--as", "name", metavar="CONTEXT", help="Name of the context (default: the host).")
@remote
def login(user: User, *, url: str | None, name: str | None) -> None:
    """Log in with a one-time code; `foliot up` and `foliot login-link` give one.

    \b
    Examples:
      foliot login http://127.0.0.1:7171
      foliot login "http://127.0.0.1:7171/login#7Q4M-2XKD-9TRA"
      foliot login https://foliot.example.org --as prod
    """
    from foliot.client.blocking.foliot import Foliot
    from foliot.client.contexts import Context, Contexts

    address, code = _split(url or _server(user))
    ca_file = _ca_file(user, address)
    insecure_http = _insecure_http(user, address)
    with Foliot(address, ca_file=ca_file, insecure_http=bool(insecure_http)) as client:
        client.endpoint.demand_safe_way()  # the code is as good as a token, and the answer is one
        code = code or click.prompt(user.out.say("code"), err=True)
        issued = client.tokens.login(code)
    context = name or urlsplit(address).hostname or "cluster"
    made = Context(name=context, server=address, ca_file=_whole(ca_file), insecure_http=insecure_http)
    Contexts().put(made, token=issued["token"])
    user.out.talk("logged_in", mark="good", server=address, context=context)


def _server(user: User) -> str:
    """The server that the user named before. A code is as good as a token: it goes to no server of a project's file."""
    from foliot.client.discovery import PROJECT

    found = user.resolved.settings.get("server")
    if found is None:
        return "http://127.0.0.1:7171"
    if found.said_by == str(PROJECT):
        named = visible_line(found.value)
        raise click.UsageError(f"Say which server: foliot login {named} ({PROJECT} names it).")
    return found.value


def _ca_file(user: User, address: str) -> str | None:
    """The authority that the user named, or that goes with this very server; not that of another."""
    found = user.resolved.settings.get("ca_file")
    if found is None:
        return None
    is_users_own = found.said_by in ("--ca-file", "FOLIOT_CA_FILE")
    return found.value if is_users_own or address == user.resolved.get("server") else None


def _insecure_http(user: User, address: str) -> str | None:
    """Whether the user wants this server to be spoken to unencrypted."""
    resolved = user.resolved
    is_chosen = address == resolved.get("server")
    if is_chosen:
        return resolved.get("insecure_http")
    return resolved.flag("insecure_http")


def _whole(file: str | None) -> str | None:
    """A path that means the same from every folder."""
    return str(Path(file).resolve()) if file else None


def _split(url: str) -> tuple[str, str | None]:
    """The server's address and the code of a login link."""
    if "://" not in url:
        url = f"http://{url}" if is_on_this_machine(f"http://{url}") else f"https://{url}"
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadServer(url, "the address") from None
    return f"{parts.scheme}://{parts.netloc}", parts.fragment or None


@click.command()
@remote
def logout(user: User) -> None:
    """End the token in use.

    \b
    Examples:
      foliot logout
      foliot logout --context prod
    """
    user.client.tokens.logout()
    user.out.talk("logged_out", mark="good", server=user.server)


@click.command()
@remote
def whoami(user: User) -> None:
    """Show whose token is used, and what it may do.

    \b
    Examples:
      foliot whoami
      foliot whoami --context prod -o json
    """
    who = user.client.tokens.whoami()
    limits = [f"{user.out.word(kind)} {who[kind]}" for kind in ("namespace", "group") if who[kind]]
    user.out.item(
        who,
        [
            ("name", who["name"]),
            ("scopes", ", ".join(who["scopes"])),
            ("limited to", ", ".join(limits)),
            ("server", user.server),
        ],
    )


@click.command("login-link")
@remote
def login_link(user: User) -> None:
    """Make a link for one login in a browser, good for 15 minutes.

    \b
    Examples:
      foliot login-link
      foliot login-link -q
    """
    made = user.client.tokens.create_login_code()
    url = f"{user.server}{made['path']}"
    if user.out.quiet:
        echo(url)
    elif user.out.is_for_people:
        echo(user.out.say("login_link", url=url))
    else:
        user.out.item({**made, "url": url}, (), name="url")
