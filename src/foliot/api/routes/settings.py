"""`/settings`: every setting of the server that answers, its value and who gave it."""

from typing import Final

from fastapi import APIRouter

from foliot.api.models.settings import SettingOut, SettingsOut
from foliot.api.request_parts import PREFIX, READS, Admin, Services, Speaks
from foliot.api.route import FoliotRoute

router: Final = APIRouter(prefix=PREFIX, tags=["cluster"], route_class=FoliotRoute)


@router.get("/settings", responses=READS, summary="The settings of this server")
async def get_settings(services: Services, who: Admin, language: Speaks) -> SettingsOut:
    """Of the server that answers: servers of one cluster may be set up differently. Secrets are hidden."""
    items = [SettingOut.of(setting, language) for setting in services.settings]
    return SettingsOut(node=services.node_name, items=items)
