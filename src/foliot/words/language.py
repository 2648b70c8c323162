"""The languages Foliot speaks."""

from enum import StrEnum


class Language(StrEnum):
    """A language for messages."""

    ENGLISH = "en"
    CHINESE = "zh-CN"

    @classmethod
    def of(cls, tag: str | None) -> "Language":
        """The nearest language to a tag or locale: zh_CN.UTF-8 and zh-Hans are Chinese, anything else is English."""
        return cls.CHINESE if (tag or "").lower().replace("_", "-").startswith("zh") else cls.ENGLISH
