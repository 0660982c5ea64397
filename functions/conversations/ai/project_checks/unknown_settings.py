"""
Finds settings of a project that no part of Parley reads, such as misspelled ones, and the name that was meant.

The names come from the models that read the settings. Stored projects are not checked: functions ignore what they do
not know, so that a project written by another version keeps working.
"""

import functools
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel

from conversations.ai.config import OF_ALL_CHANNELS, AiConfig
from conversations.ai.knowledge.settings import KnowledgeConfig
from conversations.ai.prompt.whatsapp_templates import Template
from conversations.configuration.projects import Company
from conversations.store.items.conversation import ChannelMethod
from shared.ai.settings import Provider

REPRESENTATIVES = tuple(f"company_rep_{number}" for number in range(1, 6))
_EACH = "*"  # stands for names that the project chooses, such as names of templates
# Of the Assistants API; projects of earlier systems still have them.
_IGNORED_PREFIX = "assistant_id_"

# The names of a part with their own parts; None for a value, or a part with names of other software.
type Names = Mapping[str, Names | None]


def unknown_settings(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the path and the rule of each unknown setting, at every level."""
    return _unknown(_names_of_project(), item, "")


def _unknown(names: Names | None, value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for position, entry in enumerate(value):
            yield from _unknown(names, entry, f"{path}{position}.")
    elif isinstance(value, dict) and names is not None:
        for name, part in value.items():
            if name in names or _EACH in names:
                yield from _unknown(names.get(name, names.get(_EACH)), part, f"{path}{name}.")
            elif not name.startswith(_IGNORED_PREFIX):
                yield f"{path}{name}", _rule(name, names)


def _rule(name: str, names: Names) -> str:
    nearest = get_close_matches(name.casefold(), names, n=1)
    if nearest:
        return f"is not a setting; did you mean {nearest[0]}?"
    return f"is not a setting; known here: {', '.join(sorted(names))}"


@functools.cache
def _names_of_project() -> Names:
    model = _names_of(AiConfig)
    of_channel = {name: part for name, part in model.items() if name not in OF_ALL_CHANNELS}
    channels: Names = {method.value: of_channel for method in ChannelMethod}
    template = {name: part for name, part in _names_of(Template).items() if name != "name"}
    project = _names_of(Company)
    whatsapp = {**(_part(project, "channel_config", "whatsapp")), "templates": {_EACH: template}}
    return {
        **project,
        "api_key_reference": None,  # informational: the id of the API key in use
        "company_rep": dict.fromkeys(REPRESENTATIVES),
        "channel_config": {**_part(project, "channel_config"), "whatsapp": whatsapp},
        "knowledge_config": _names_of(KnowledgeConfig),
        "ai_config": {name: model[name] for name in OF_ALL_CHANNELS}
        | {f"{provider}_config": channels for provider in get_args(Provider.__value__)},
    }


def _part(names: Names, *path: str) -> Names:
    for step in path:
        names = names[step] or {}
    return names


def _names_of(model: type[BaseModel]) -> Names:
    return {
        field.alias or name: _names_in(field.annotation)
        for name, field in model.model_fields.items()
    }


def _names_in(annotation: object) -> Names | None:
    """Return the names of the model in a field's type, such as `tuple[Model, ...]`; None without a model."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _names_of(annotation)
    return next(filter(None, map(_names_in, get_args(annotation))), None)
