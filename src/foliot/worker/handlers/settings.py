"""Settings of a kind of handler: what the worker knows of it, read as the kind's own type says.

No message shows a value: it may be a password.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec.inspect import DataclassType, DictType, Field, ListType, StructType, Type, type_info

from foliot.domain.names import nearest
from foliot.ports.handler import BadHandlerSetting, HandlerKind, KindWithSettings

_SAFE: Final = re.compile(r"(Expected `[^`]*`(?:, got `[^`]*`)?|Object missing required field `[^`]*`)")
"""What msgspec says without the value itself."""
_WHERE: Final = re.compile(r" - at `\$([^`]*)`$")


def set_up(kind: HandlerKind, values: Mapping[str, Any]) -> None:
    """Give a kind its settings; `BadHandlerSetting` for what it does not know or cannot use."""
    if not isinstance(kind, KindWithSettings):
        for key in values:
            raise BadHandlerSetting(kind.kind, key, "this kind has no settings")
        return
    wanted = type(kind.settings)
    _check_known(kind.kind, type_info(wanted), values, "")
    try:
        kind.settings = msgspec.convert(values, wanted, strict=False)
    except msgspec.ValidationError as error:
        raise BadHandlerSetting(kind.kind, *_without_value(str(error))) from None


def written(kind: HandlerKind) -> str | None:
    """A kind's settings as JSON, for the child processes that make it again; None: it has none."""
    if not isinstance(kind, KindWithSettings):
        return None
    return msgspec.json.encode(kind.settings).decode()


def _check_known(kind: str, info: Type, value: Any, path: str) -> None:
    """Refuse a key that no field has, at any depth: msgspec passes over those of a dataclass."""
    if isinstance(info, DictType) and isinstance(value, Mapping):
        for key, inner in value.items():
            _check_known(kind, info.value_type, inner, f"{path}{key}.")
    elif isinstance(info, ListType) and isinstance(value, list):
        for at, inner in enumerate(value):
            _check_known(kind, info.item_type, inner, f"{path}{at}.")
    elif isinstance(info, DataclassType | StructType) and isinstance(value, Mapping):
        fields: dict[str, Field] = {field.encode_name: field for field in info.fields}
        for key, inner in value.items():
            if key not in fields:
                known = ", ".join(sorted(fields))
                raise BadHandlerSetting(kind, f"{path}{key}", "there is no such setting", known=known,
                                        meant=nearest(str(key), fields))  # fmt: skip
            _check_known(kind, fields[key].type, inner, f"{path}{key}.")


def _without_value(said: str) -> tuple[str, str]:
    """Where the value stands, and what msgspec says of it, without the value itself."""
    where = _WHERE.search(said)
    what = _SAFE.match(said)
    key = where[1].lstrip(".") if where else ""
    return key, what[1].replace("`", "").replace("Expected", "expected") if what else "its value cannot be used"
