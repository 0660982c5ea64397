"""Checks all settings of a project before they are stored. Each refusal names the path and the rule, never a value."""

import ipaddress
import re
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from conversations.ai.config import AiConfig, AiConfigBroken
from conversations.ai.knowledge import search_tool
from conversations.ai.knowledge.settings import KnowledgeConfig
from conversations.ai.project_checks.secrets import Fault, foreign_secrets
from conversations.ai.project_checks.unknown_settings import REPRESENTATIVES, unknown_settings
from conversations.ai.prompt.whatsapp_templates import Template, TemplateBroken, mismatches
from conversations.configuration.projects import (
    LONGEST_TEXT,
    Company,
    ConfigurationInvalid,
    WhatsAppChannel,
)
from conversations.store.items.conversation import ChannelMethod
from shared.ai.texts.links import plain_host
from shared.providers.http import is_public
from shared.runtime.validation.validation_errors import errors_of, rule_of

# The sources of values of template variables, see `outbound.compose.facts.template_sources`.
SOURCES = (
    *("recipient_first_name", "recipient_last_name", "company_name", "project_name"),
    *REPRESENTATIVES,
)
_OF_REQUEST = "project_data."
MINUTES_A_DAY = 24 * 60
_LINK_HOST = re.compile(r"(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?")


class SettingsRefused(Exception):
    """Settings of a project break rules. *faults* are their paths and rules, never values."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("settings are refused")
        self.faults = list(dict.fromkeys(faults))


def checked(item: dict[str, Any], calls_per_minute: int | None) -> Company:
    """
    Return the project that an item describes. Raises SettingsRefused.

    *calls_per_minute*: of the API, by a company; None: any number.
    """
    faults = list(unknown_settings(item))
    try:
        company = Company.model_validate(item)
    except ValidationError as refusal:
        raise SettingsRefused(faults + list(_invalid(refusal, item))) from None
    _refuse(faults + list(_of_parts(company)) + list(_of_requests(company, calls_per_minute)))
    _refuse(list(foreign_secrets(company)))
    _refuse(list(_private_targets(company)))
    return company


def unresolved_targets(company: Company) -> list[str]:
    """Return the paths of functions' targets whose host names this machine cannot resolve: others may."""
    return [path for path, addresses in _targets(company) if addresses is None]


def _refuse(faults: list[Fault]) -> None:
    """Raise SettingsRefused if there are faults."""
    if faults:
        raise SettingsRefused(faults)


def _invalid(refusal: ValidationError, item: object) -> Iterator[Fault]:
    """Yield each invalid setting; if it may have one of several types, the rules of all of them."""
    rules: dict[str, list[str]] = {}
    for error in errors_of(refusal):
        path = _path(error["loc"], item, is_missing=error["type"] == "missing")
        rules.setdefault(path, []).append(rule_of(error))
    for path, broken in rules.items():
        yield path, ", or ".join(broken)


def _path(location: tuple[int | str, ...], item: object, *, is_missing: bool) -> str:
    """Return the part of pydantic's *location* that exists in the item: it also names types."""
    path: list[str] = []
    here: Any = item
    for step in location:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            if is_missing:
                path.append(str(step))
            break
        path.append(str(step))
    return ".".join(path)


def _of_parts(company: Company) -> Iterator[Fault]:
    """Yield the faults of parts that are read on use: channels, the settings of the model, templates."""
    for method in company.allowed_channels:
        try:
            company.channel(method)
        except ConfigurationInvalid as fault:
            yield fault.attribute, "is missing, but allowed_channels names it"
        try:
            AiConfig.read(company.ai_config, method.value)
        except AiConfigBroken as broken:
            yield broken.attribute, broken.rule
    yield from _of_knowledge(company)
    yield from _of_limits(company)
    yield from _of_follow_ups(company)
    for position, host in enumerate(company.policy.link_hosts):
        if not _LINK_HOST.fullmatch(plain_host(host)):
            yield (
                f"policy.link_hosts.{position}",
                "must be a host, such as example.com or *.example.com",
            )
    if company.channel_config.whatsapp is not None:
        yield from _of_templates(company.channel_config.whatsapp)


def _of_limits(company: Company) -> Iterator[Fault]:
    """A limit above what the channels permit would limit nothing."""
    limits = company.rate_limits
    most = max((LONGEST_TEXT[method] for method in company.allowed_channels), default=None)
    is_set = "max_message_length" in limits.model_fields_set
    if most is not None and is_set and limits.max_message_length > most:
        yield (
            "rate_limits.max_message_length",
            f"must be at most {most}, the longest text of the channels in allowed_channels",
        )


def _of_requests(company: Company, calls_per_minute: int | None) -> Iterator[Fault]:
    """A project has no more calls than its company, which leaves the others theirs."""
    if calls_per_minute is None:
        return
    limits = company.rate_limits
    for name, most in (
        ("requests_per_minute", calls_per_minute),
        ("requests_per_day", calls_per_minute * MINUTES_A_DAY),
    ):
        if name in limits.model_fields_set and getattr(limits, name) > most:
            yield (
                f"rate_limits.{name}",
                f"must be at most {most}: a company may make ApiCompanyPercent of ApiRateLimit"
                f" calls, {calls_per_minute} a minute",
            )


def _of_follow_ups(company: Company) -> Iterator[Fault]:
    """A step needs what each channel can send after a silence: a template on WhatsApp, a text elsewhere."""
    others = [method for method in company.allowed_channels if method is not ChannelMethod.WHATSAPP]
    whatsapp = company.channel_config.whatsapp
    has_whatsapp = ChannelMethod.WHATSAPP in company.allowed_channels and whatsapp is not None
    for position, step in enumerate(company.follow_ups):
        path = f"follow_ups.{position}"
        if others and step.text is None:
            yield f"{path}.text", f"is missing, but allowed_channels names {others[0].value}"
        if has_whatsapp and step.template is None:
            yield f"{path}.template", "is missing: WhatsApp needs one outside its messaging window"
        if step.template and whatsapp and step.template not in whatsapp.templates:
            yield f"{path}.template", "template not found"
    if company.follow_ups and not company.policy.permits_initiated:
        yield "follow_ups", "need initiated_per_day and initiated_per_week above 0"


def _of_knowledge(company: Company) -> Iterator[Fault]:
    try:
        settings = KnowledgeConfig.read(company.knowledge_config)
    except AiConfigBroken as broken:
        yield broken.attribute, broken.rule
        return
    functions = company.ai_config.get("functions")
    for position, function in enumerate(functions if isinstance(functions, list) else ()):
        is_taken = isinstance(function, dict) and function.get("name") == search_tool.TOOL.name
        if settings.enabled and is_taken:
            yield (
                f"ai_config.functions.{position}.name",
                "is the name of a function of knowledge_config",
            )


def _of_templates(whatsapp: WhatsAppChannel) -> Iterator[Fault]:
    where = "channel_config.whatsapp"
    for name, configured in whatsapp.templates.items():
        try:
            template = Template.read(name, configured)
        except TemplateBroken as fault:
            yield f"{where}.templates.{fault.attribute}", fault.rule
            continue
        for attribute, rule in mismatches(template):
            yield f"{where}.templates.{name}.{attribute}", rule
        for position, variable in enumerate(template.variables):
            source = variable.source
            if source and source not in SOURCES and not source.startswith(_OF_REQUEST):
                path = f"{where}.templates.{name}.variables.{position}.source"
                yield path, f"must be {', '.join(SOURCES)} or {_OF_REQUEST}<name>"
    for choice in ("default_template", "reengagement_template"):
        chosen = getattr(whatsapp, choice)
        if chosen is not None and chosen not in whatsapp.templates:
            yield f"{where}.{choice}", "template not found"


def _private_targets(company: Company) -> Iterator[Fault]:
    """
    Yield the functions' targets whose names have a private address, such as one of a company network.

    The models refuse IP addresses and private names; each call checks the address again.
    """
    for path, addresses in _targets(company):
        if not all(is_public(ipaddress.ip_address(address)) for address in addresses or ()):
            yield path, "must not be a private, loopback, link-local or reserved address"


def _targets(company: Company) -> Iterator[tuple[str, list[str] | None]]:
    """Yield the path of each function's target with the addresses of its host; None if it cannot be resolved here."""
    of_any_channel = company.allowed_channels[:1]  # all channels have the same functions
    configs = [AiConfig.read(company.ai_config, method.value) for method in of_any_channel]
    for position, function in enumerate(configs[0].functions if configs else ()):
        parts = urlsplit(function.target)
        if (
            parts.scheme == "http"
        ):  # only of the local stage, see `shared.runtime.validation.web_addresses`
            continue
        path = f"ai_config.functions.{position}.target"
        try:
            entries = socket.getaddrinfo(str(parts.hostname), None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):  # UnicodeError: a label that IDNA cannot encode
            yield path, None
            continue
        yield path, [str(entry[4][0]) for entry in entries]
