"""The project of a rehearsed dialogue: a sample, the dialogue's own settings, and the settings of a version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from conversations.ai.config import AiConfig, AiConfigBroken
from conversations.ai.project_checks.unknown_settings import unknown_settings
from conversations.configuration import projects, versions
from conversations.configuration.projects import ConfigurationInvalid
from shared.aws.tables.dynamodb_json import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.configuration.projects import Company
    from conversations.dialogues.scenarios.format import Dialogue

_TARGET: Final = "https://functions.example.com/"  # never called
_MODEL: Final = {
    "model": "recorded",
    "api_key_reference": "recorded",
    "reads": ["image", "document"],
}
_SAMPLE: Final[dict[str, Any]] = {
    "company_id": "evaluation",
    "project_id": "evaluation",
    "allowed_channels": ["whatsapp", "sms", "email"],
    "ai_config": {
        "provider": "openai",
        "openai_config": {"whatsapp": _MODEL, "sms": _MODEL, "email": _MODEL},
    },
    "channel_config": {
        "whatsapp": {"provider": "meta", "company_whatsapp_number": "+12025550143"},
        "sms": {"provider": "aws_sms", "company_sms_number": "+12025550144"},
        "email": {"provider": "ses", "company_email": "hello@company.example"},
    },
    "policy": {"quiet_hours": None},
}


class SettingsBroken(Exception):
    """Settings of a dialogue's project, or of a version, break a rule. Names the dialogue, the field and the rule."""

    def __init__(self, name: str, field: str, rule: str) -> None:
        super().__init__(f"{name}: project.{field}: {rule}")


def project_of(
    dialogue: Dialogue, settings: Mapping[str, Any] | None, item: Mapping[str, Any] | None
) -> Company:
    """
    Return the project of a dialogue. Raises SettingsBroken.

    *item* is a stored project's item instead of the sample; *settings* replace those that versions have.
    """
    made = merged(_SAMPLE if item is None else plain(dict(item)), dialogue.project)
    if settings is not None:
        made = versions.with_settings(made, plain(dict(settings)))
    for function in made.get("ai_config", {}).get("functions", []):
        if isinstance(function, dict):
            function.setdefault("target", _TARGET)
    if item is None:  # a stored project may have settings of another release
        for path, rule in unknown_settings(made):
            raise SettingsBroken(dialogue.name, path, rule)
    try:
        company = projects.parse(made)
        AiConfig.read(company.ai_config, dialogue.channel)
    except ConfigurationInvalid as fault:
        raise SettingsBroken(dialogue.name, fault.attribute, "is missing or invalid") from None
    except AiConfigBroken as broken:
        raise SettingsBroken(dialogue.name, broken.attribute, broken.rule) from None
    return company


def merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return *base* with the values of *own*; mappings are merged, all other values replaced."""
    made = {name: _copied(value) for name, value in base.items()}
    for name, value in own.items():
        before = made.get(name)
        are_parts = isinstance(value, dict) and isinstance(before, dict)
        made[name] = merged(before or {}, value) if are_parts else _copied(value)
    return made


def _copied(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    if isinstance(value, dict):
        return merged({}, value)
    return [_copied(one) for one in value] if isinstance(value, list) else value
