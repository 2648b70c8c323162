"""Parameters of a run against the schema of its handler: the refusal names everything that is wrong."""

from collections.abc import Mapping
from typing import Any

from foliot.domain.errors import InvalidInput
from foliot.domain.schema import NOT_A_SCHEMA, Problem, Schema, check, type_words


class BadParameters(InvalidInput):
    """What was given does not fit the handler's parameters."""

    code = "FOL-1006"

    def __init__(self, job: str, problems: list[Problem], schema: Schema) -> None:
        super().__init__(
            f"{job}: {'; '.join(map(str, problems))}.",
            hint=parameter_words(schema),
            job=job,
            errors=[{"path": problem.path, "message": problem.said} for problem in problems],
        )


def require_fit(job: str, schema: Schema, given: Any) -> None:
    """`BadParameters` unless these JSON values fit; for whoever knows only the schema, such as a server."""
    problems = check(schema, given)
    if problems:
        raise BadParameters(job, problems, schema)


def parameter_words(schema: Schema) -> str:
    """The parameters with their types, for people: `parameters: day (date), dry_run (true/false)`."""
    try:
        named = [f"{name} ({type_words(part, root=schema)})" for name, part in schema.get("properties", {}).items()]
    except NOT_A_SCHEMA:
        return "see what the job's function takes"
    if isinstance(schema.get("additionalProperties"), Mapping):
        named.append("others")
    return f"parameters: {', '.join(named)}" if named else "it takes no parameters"
