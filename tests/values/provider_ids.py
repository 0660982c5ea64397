"""
The settings and input fields that name a resource of a provider, derived from the code by the names of fields.

    <context>.<field>   an input model of an API or an action, or a setting of a project
    <Parameter>         a parameter of template.yaml
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, get_args

from pydantic import BaseModel

import conversations.api
import email_threads.api
import newsletters.api
import richpanel.api
import whatsapp.actions
import whatsapp.api
from conversations.ai.config import AiConfig, Function
from conversations.ai.knowledge.settings import KnowledgeConfig
from conversations.ai.prompt.whatsapp_templates import Template
from conversations.configuration.projects import Company
from shared.api.models.inputs import Input
from tests import template

if TYPE_CHECKING:
    from collections.abc import Iterator

# Words that end the name of a field that names a resource of a provider.
FIELD: Final = re.compile(
    r"(?:^|_)(?:arns?|waba|waba_id|account|account_id|phone_number_ids?|phone_id|app_id|sid|topic_arn|role_arn"
    r"|catalog_id|business_id|dataset_id|pixel_id|page_id|flow_id|configuration_set|knowledge_base_id|guardrail_id"
    r"|mailbox|bucket|identity|shop|store_id|domain|credentials_id|reference|token_ref|senders|from_number)$"
    r"|^company_(?:\w+_number|email)$|^phone$|^model$|^model_id$"
)
PARAMETER: Final = re.compile(
    r"(?:Arns?|Account|Domain|Topic|Bucket|Shop\w*|ShipStation\w*|TableName)$"
)
# Names that the pattern finds, and why they name no resource that a company could own.
WITHOUT_OWNER: Final = {
    "conversations.auto_queue_initial_message_from_number": "a filter of customers' numbers",
    "conversations.auto_queue_reply_message_from_number": "a filter of customers' numbers",
    "email_threads.blocked_senders": "a filter of senders' addresses; their mail is held, and nothing is sent",
    "email_threads.by_mailbox": "texts that are added only to answers from a mailbox of the same company",
    "conversations.guardrail_id": "it only filters the company's own texts, and reads nothing",
    "email_threads.guardrail_id": "it only filters the company's own texts, and reads nothing",
    "newsletters.guardrail_id": "it only filters the company's own texts, and reads nothing",
    "conversations.model": "a public model; the roles permit the deployment's ARNs only",
    "email_threads.model": "a public model; the roles permit the deployment's ARNs only",
    "whatsapp.model": "a public model, asked with the company's own key",
    "newsletters.model": "a public model; the roles permit the deployment's ARNs only",
    "ShopifyVersion": "a version of an API",
}
# Names of variables in paths of routes.
IN_PATHS: Final = {"email_threads": ("address",)}
_APIS: Final[dict[str, tuple[ModuleType, ...]]] = {
    "conversations": (conversations.api,),
    "email_threads": (email_threads.api,),
    "newsletters": (newsletters.api,),
    "richpanel": (richpanel.api,),
    "whatsapp": (whatsapp.api, whatsapp.actions),
}
_OF_PROJECTS: Final = (Company, AiConfig, Function, KnowledgeConfig, Template)


@cache
def named() -> frozenset[str]:
    """The names of all settings and fields."""
    fields = {
        f"{context}.{field}" for context, model in _models() for field in _fields(model, set())
    }
    paths = {f"{context}.{name}" for context, names in IN_PATHS.items() for name in names}
    parameters = {name for name in template.template()["Parameters"] if PARAMETER.search(name)}
    return frozenset(fields | paths | parameters)


def _models() -> Iterator[tuple[str, type[BaseModel]]]:
    for context, packages in _APIS.items():
        for package in packages:
            for module in _modules(package):
                for found in vars(module).values():
                    if isinstance(found, type) and issubclass(found, Input):
                        yield context, found
    for model in _OF_PROJECTS:
        yield "conversations", model


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


def _fields(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[str]:
    """Yield the fields of a model, and of the models in it, that name a resource."""
    if model in seen:
        return
    seen.add(model)
    for name, field in model.model_fields.items():
        if FIELD.search(name):
            yield name
        for inner in _inner(field.annotation):
            yield from _fields(inner, seen)


def _inner(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    value = getattr(annotation, "__value__", None)  # of a `type` statement
    for part in (*get_args(annotation), *([value] if value is not None else [])):
        yield from _inner(part)
