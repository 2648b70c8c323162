"""Texts as they stand in the code."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def tree_of(file: Path) -> ast.Module:
    """A file of source, parsed once."""
    return ast.parse(file.read_text("utf-8"))


def texts_of(node: ast.expr) -> Iterator[str]:
    """Each text an expression can be, f-strings with a letter for what they are filled with."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "X" for one in values)
        case ast.IfExp(body=body, orelse=orelse):
            yield from texts_of(body)
            yield from texts_of(orelse)
        case ast.BoolOp(values=values):
            for value in values:
                yield from texts_of(value)
