"""The settings of a server as JSON."""

from pydantic import Field

from foliot.api.models.common import ApiOutput
from foliot.domain.effective_settings import EffectiveSetting, SettingSource
from foliot.words.language import Language
from foliot.words.settings import meaning_of


class SettingOut(ApiOutput):
    """One setting as it holds."""

    name: str
    value: str = Field(description="Empty: not set, or read from a file that holds a secret.")
    source: SettingSource = Field(description="Who gave the value.")
    place: str = Field(description="The option, the variable or the file that gave it.")
    meaning: str

    @classmethod
    def of(cls, setting: EffectiveSetting, language: Language) -> "SettingOut":
        return cls(
            name=setting.name,
            value=setting.value,
            source=setting.source,
            place=setting.place,
            meaning=meaning_of(setting.meaning, language),
        )


class SettingsOut(ApiOutput):
    """Every setting of one server."""

    node: str = Field(description="The server that answered.")
    items: list[SettingOut]
