"""The directive `commands`: the reference of the command line, read from the commands."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}


class Commands(Directive):
    """One section a command: what it does, its arguments and its options with their defaults."""

    def run(self) -> list[nodes.Node]:
        """Write the sections."""
        self.state.document.settings.env.note_reread()  # the code may have changed
        import typer
        from typer.main import get_command

        from validation.cli.main import app

        group = get_command(app)
        context = typer.Context(group, info_name="kernelspec")
        sections: list[nodes.Node] = []
        for name, command in sorted(group.commands.items()):
            title = f"kernelspec {name}"
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            section += nodes.title(text=title)
            section += _prose(command.help)
            section += _usage(command.get_usage(typer.Context(command, info_name=title)))
            section += _parameters(command, context)
            self.state.document.note_explicit_target(section)
            sections.append(section)
        return sections


def _prose(text: str | None) -> nodes.paragraph:
    """Return a help text as a paragraph; what stands between backquotes is code."""
    pieces = " ".join((text or "").split()).split("`")
    kinds = (nodes.Text, lambda piece: nodes.literal(text=piece))
    return nodes.paragraph("", "", *(kinds[i % 2](piece) for i, piece in enumerate(pieces)))


def _usage(text: str) -> nodes.Node:
    line = " ".join(text.removeprefix("Usage:").split())
    return nodes.literal_block(line, line, language="text")


def _parameters(command: object, context: object) -> nodes.Node:
    rows = [_row(parameter) for parameter in command.params]
    table = nodes.table(classes=["options"])
    group = nodes.tgroup(cols=3)
    table += group
    for width in (3, 2, 6):
        group += nodes.colspec(colwidth=width)
    head, body = nodes.thead(), nodes.tbody()
    group += [head, body]
    head += _cells([nodes.Text("option"), nodes.Text("default"), nodes.Text("meaning")])
    for row in rows:
        body += _cells(row)
    return table


def _row(parameter: object) -> list[nodes.Node]:
    flags = [*parameter.opts, *parameter.secondary_opts]
    option = ", ".join(flags) if flags[0].startswith("-") else parameter.name.upper()
    default = parameter.default
    shown: nodes.Node = nodes.Text("")
    if parameter.required:
        shown = nodes.Text("required")
    elif default is not None and default is not False and not callable(default):
        shown = nodes.literal(text=str(default))
    return [nodes.literal(text=option), shown, _prose(getattr(parameter, "help", ""))]


def _cells(contents: list[nodes.Node]) -> nodes.Node:
    row = nodes.row()
    for content in contents:
        entry = nodes.entry()
        is_block = isinstance(content, nodes.paragraph)
        entry += content if is_block else nodes.paragraph("", "", content)
        row += entry
    return row
