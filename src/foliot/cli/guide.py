"""`foliot search|why|completion|docs|version`: finding one's way."""

import sys
from typing import Final

import click

from foliot.cli.completion import job_name
from foliot.cli.global_options import spoken_language
from foliot.cli.job_views import explain, explain_job
from foliot.cli.server_access import User, remote
from foliot.cli.table import Column
from foliot.cli.terminal import echo
from foliot.cli.time_options import TypedTime, time_option
from foliot.domain.errors import JobNotFound

SHELLS: Final = ("bash", "zsh", "fish", "powershell")


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@remote
def search(user: User, *, text: tuple[str, ...], limit: int) -> None:
    """Find jobs, runs and nodes by what you remember of them.

    \b
    Examples:
      foliot search settle
      foliot search 结算
      foliot search r-8k2f
    """
    wanted = " ".join(text)
    columns = [
        Column("KIND", "kind"),
        Column("NAME", "name", least=12),
        Column("NAMESPACE", "namespace", empty="-"),
        Column("DETAIL", "detail", least=10),
    ]
    user.out.page(user.client.cluster.search(wanted, limit=limit, namespace=user.namespace), columns)


@click.command()
@click.argument("what", metavar="JOB|RUN", shell_complete=job_name)
@time_option("why --at", help="One instant of a job.")
@time_option("why --since", help="All instants of a job since then.")
@click.option("--limit", type=click.IntRange(1, 200), default=200, show_default=True)
@click.option("--cursor", metavar="CURSOR", help="Go on behind a page.")
@remote
def why(
    user: User, *, what: str, at: TypedTime | None, since: TypedTime | None, limit: int, cursor: str | None
) -> None:
    """Say why a job did or did not run, or what a run waits for.

    \b
    Examples:
      foliot why settle --at 02:00
      foliot why settle --since 6h
      foliot why r-8k2f
    """
    is_run = what.lower().startswith("r-")
    if is_run and at is None and since is None:
        explain(user, [user.client.runs.why(what, tz=user.times.name)])
        return
    try:
        explain_job(user, what, at=at, since=since, limit=limit, cursor=cursor)
    except JobNotFound:
        if not is_run:
            raise
        raise click.UsageError(f"A run takes no --at and no --since: foliot why {what}") from None


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Examples:
      foliot completion bash >> ~/.bashrc
      foliot completion zsh > ~/.zfunc/_foliot
      foliot completion fish > ~/.config/fish/completions/foliot.fish
    """
    if shell == "powershell":
        echo(_POWERSHELL)
        return
    from click.shell_completion import get_completion_class

    from foliot.cli import main

    maker = get_completion_class(shell)
    assert maker is not None, shell
    echo(maker(main, {}, "foliot", "_FOLIOT_COMPLETE").source())


_POWERSHELL: Final = """Register-ArgumentCompleter -Native -CommandName foliot -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $env:_FOLIOT_COMPLETE = "bash_complete"
    $env:COMP_WORDS = $commandAst.ToString()
    $env:COMP_CWORD = $commandAst.CommandElements.Count - [int]($wordToComplete -ne "")
    foliot | ForEach-Object { $kind, $value = $_ -split ",", 2; $value }
    Remove-Item Env:_FOLIOT_COMPLETE, Env:COMP_WORDS, Env:COMP_CWORD
}"""


@click.command()
@click.argument("code", metavar="FOL-nnnn")
@click.option("--lang", metavar="LANG", help="en or zh-CN.", callback=spoken_language)
def docs(code: str, lang: str | None) -> None:
    """Say what a message's code means, why it happens and what to do next.

    \b
    Examples:
      foliot docs FOL-2001
      foliot docs FOL-4001 --lang zh-CN
    """
    from foliot.cli.catalogue import find_code
    from foliot.cli.language import reader_language, say

    wanted = code.upper() if code.upper().startswith("FOL-") else f"FOL-{code}"
    found = find_code(wanted, reader_language(lang))
    if found is None:
        echo(say("unknown_code", code=code), err=True)
        sys.exit(3)
    echo(f"{wanted}  {found.title}")
    echo(f"  {found.branch}")
    if found.why:
        echo(say("code_why", text=found.why))
        echo(say("code_next", text=found.next_step))


@click.command()
def version() -> None:
    """Print the version.

    \b
    Examples:
      foliot version
    """
    from foliot import __version__

    echo(f"foliot {__version__}")
