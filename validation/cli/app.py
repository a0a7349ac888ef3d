"""The command line's frame: its commands, its errors, its entry point.

Commands import what they need when they run, so that `--help` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

__all__ = ["OneLineErrors", "app", "main"]

_USAGE = 2
_INTERRUPTED = 130


class OneLineErrors(TyperGroup):
    """A group of commands that answers bad usage with one line and exit status 2."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; translate what went wrong into a line and an exit status."""
        try:
            status = super().main(
                args, prog_name or "kernelspec", complete_var, False, windows_expand_args, **extra
            )
        except (KeyboardInterrupt, typer.Abort):
            typer.echo("kernelspec: interrupted", err=True)
            status = _INTERRUPTED
        except OSError as error:
            where = "" if error.filename is None else f": {error.filename}"
            typer.echo(f"kernelspec: {error.strerror or error}{where}", err=True)
            status = _USAGE  # not 1, which says that a claim is refuted
        except Exception as error:
            message = _usage_message(error)
            if message is None:
                raise
            typer.echo(f"kernelspec: {message}", err=True)
            status = _USAGE
        if standalone_mode:
            sys.exit(status if isinstance(status, int) else 0)
        return status


def _usage_message(error: Exception) -> str | None:
    """Return the message of a usage error, in one line, or None for any other error."""
    # Releases of typer differ in where they keep the class; its method tells it apart.
    formatted = getattr(error, "format_message", None)
    if formatted is None:
        return None
    message = error.message if isinstance(error, typer.BadParameter) else formatted()
    return " ".join(str(message).split())


app = typer.Typer(
    cls=OneLineErrors,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    help=(
        "Hold the constants of a kernel-spectrum theorem for two-layer networks against numbers "
        "and proofs."
    ),
)


@app.callback()
def top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Print the version, or the help where no command is given."""
    if version:
        import kernelspec

        typer.echo(f"kernelspec {kernelspec.__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
    else:
        return
    raise typer.Exit


def main() -> None:
    """Run the command line."""
    app(prog_name="kernelspec")
