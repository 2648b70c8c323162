"""Saved views as JSON."""

from pydantic import Field

from foliot.api.models.common import ApiInput, ApiOutput, Listed, Moment, moment
from foliot.operations.views import PATH_BYTES_MAX
from foliot.ports.store.views import SHARED, View


class ViewIn(ApiInput):
    """An address of the console to keep."""

    path: str = Field(max_length=PATH_BYTES_MAX, examples=["/jobs?failing=true"])
    shared: bool = Field(False, description="Everybody sees it.")


class ViewOut(ApiOutput):
    """A page of the console with its filters, under a name."""

    name: str
    path: str
    shared: bool
    saved_at: Moment
    saved_by: str

    @classmethod
    def of(cls, view: View) -> "ViewOut":
        return cls(
            name=view.name,
            path=view.path,
            shared=view.owner == SHARED,
            saved_at=moment(view.saved_at) or "",
            saved_by=view.saved_by,
        )


class ViewsOut(Listed):
    """The person's own views and the shared ones, by name."""

    items: list[ViewOut]
