"""Parameters of a run against the schema of its handler: the refusal names everything that is wrong."""

from collections.abc import Mapping
from typing import Any

from foliot.domain.errors import InvalidInput, NotJson
from foliot.domain.payload import parse_json
from foliot.domain.schema import NOT_A_SCHEMA, PATH_MAX, STEPS_MAX, Schema, SchemaProblem, check, fits, property_words


class BadParameters(InvalidInput):
    """What was given does not fit the handler's parameters."""

    code = "FOL-1006"

    def __init__(self, job: str, problems: list[SchemaProblem], schema: Schema) -> None:
        super().__init__(
            f"{job}: {'; '.join(map(str, problems))}.",
            hint=parameter_words(schema),
            job=job,
            errors=[{"path": problem.path[:PATH_MAX], "message": problem.said} for problem in problems],
            known=_named(schema),
        )


def require_fit(job: str, schema: Schema, given: Any, *, patience: int = STEPS_MAX) -> None:
    """Raise `BadParameters` unless these JSON values fit. A server knows of a handler only this schema.

    `TakesLong` instead of an answer when that takes more steps than `patience`.
    """
    problems = check(schema, given, patience=patience)
    if problems:
        raise BadParameters(job, problems, schema)


def parameter_words(schema: Schema) -> str:
    """The parameters with their types, for people: `parameters: day (date), dry_run (true/false)`."""
    try:
        named = [f"{name} ({kind})" for name, kind in property_words(schema)]
    except NOT_A_SCHEMA:
        return "see what the job's function takes"
    if isinstance(schema.get("additionalProperties"), Mapping) or len(schema.get("properties", ())) > len(named):
        named.append("others")
    return f"parameters: {', '.join(named)}" if named else "it takes no parameters"


def _named(schema: Schema) -> list[tuple[str, str]]:
    """The same as data, for another language; nothing for what is no schema."""
    try:
        return property_words(schema)
    except NOT_A_SCHEMA:
        return []


def from_words(words: Mapping[str, str], schema: Schema | None = None) -> dict[str, Any]:
    """Parameters from a command line (`-p day=2026-01-31 -p limit=7`): text or JSON, whichever the schema takes.

    `limit=7` is a number for a whole number and text for text. Without a schema, what is JSON other than text is JSON.
    """
    known: Mapping[str, Any] = (schema or {}).get("properties", {})
    return {name: _meant(word, known.get(name), schema) for name, word in words.items()}


def _meant(word: str, part: Schema | None, schema: Schema | None) -> Any:
    try:
        value = parse_json(word)
    except NotJson:
        return word
    if isinstance(value, str):
        return word
    try:
        if part is None or fits(part, value, root=schema):
            return value
        return word if fits(part, word, root=schema) else value  # what fits in no way is told as it was meant
    except NOT_A_SCHEMA:
        return value
