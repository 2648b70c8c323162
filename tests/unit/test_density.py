"""Functions have air: no long function packs more into a line than a reader takes in at once."""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    path for path in (ROOT / "src").rglob("*.py") if "words" not in path.parts and "versions" not in path.parts
)
"""Without catalogues of words and without migrations, which nobody changes any more."""

LINES_MIN = 8  # a short function is taken in at once, however dense
TOKENS_MAX = 17  # a line, on average
NO_WORDS = frozenset({
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
})  # fmt: skip


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def lines_of_the_docstring(function: ast.FunctionDef | ast.AsyncFunctionDef) -> range:
    first = function.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if not is_docstring or first.end_lineno is None:
        return range(0)
    return range(first.lineno, first.end_lineno + 1)


def dense(source: str) -> Iterator[str]:
    """The functions of a module that are too dense: `name: tokens a line`."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    at = [token.start[0] for token in tokens if token.type not in NO_WORDS]
    for function in functions(ast.parse(source)):
        assert function.end_lineno is not None
        inside = range(function.lineno, function.end_lineno + 1)
        said = lines_of_the_docstring(function)
        own = [line for line in at if line in inside and line not in said]
        lines = len(set(own))
        if lines >= LINES_MIN and len(own) > TOKENS_MAX * lines:
            yield f"{function.name}: {len(own) / lines:.1f}"


def test_a_long_function_packs_no_line_full() -> None:
    found = {str(path.relative_to(ROOT)): list(dense(path.read_text())) for path in MODULES}

    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(("line", "is_dense"), [("a = b", False), ("a = [b(c, d[e]) for b, c in f.g(h).i if c]", True)])
def test_what_is_dense_is_found(line: str, is_dense: bool) -> None:
    source = "def full():\n" + f"    {line}\n" * LINES_MIN

    assert bool(list(dense(source))) is is_dense
