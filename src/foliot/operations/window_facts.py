"""What explanations say of a run that waits for further triggers."""

from collections.abc import Mapping
from typing import Any

from foliot.domain.fire import retry_of
from foliot.domain.instants import format_duration
from foliot.domain.policies.windows import debounce_from
from foliot.ports.store.lookups import RunRow


def debounce_of(document: Mapping[str, Any], run: RunRow) -> str | None:
    """The quiet time that the run of a trigger waits for, as its job writes it; None: it does not."""
    written = document.get("debounce")
    is_trigger = run.fire_key.startswith("m:") and retry_of(run.fire_key) is None
    if written is None or not is_trigger or run.attempt:
        return None
    debounce = debounce_from(written)
    waits_us = run.not_before - run.created_at
    return format_duration(debounce.quiet_us) if waits_us <= debounce.at_most_us else None
