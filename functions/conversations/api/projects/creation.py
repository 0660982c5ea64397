"""
Creates projects for the API. Their channels use only names that the company owns: this call takes no phone number,
account or domain that an operator has not granted, unless the deployment is this company's alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr

from conversations.ai.project_checks.settings import SettingsRefused, checked
from conversations.api.access import NotFound, StateConflict, Unusable
from conversations.api.projects import versions as shown_versions
from conversations.configuration import ownership, projects, versions
from conversations.store import routes
from conversations.store.versions import project_versions
from shared.access.ownership import ids, proofs
from shared.access.ownership.proofs import Named, NotProven
from shared.ai.versions.stored import Version
from shared.api.errors import InvalidInput
from shared.aws import observation
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.dynamodb_json import storable
from shared.identity.addresses import AddressInvalid, email_address
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conversations.api.access import ApiDependencies
    from conversations.api.projects.inputs import ModelInput, ProjectInput
    from conversations.api.projects.views import ProjectView
    from conversations.configuration.projects import Company
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request

_WHATSAPP = "channel_config.whatsapp"
# The part of a path of a setting of the model that the input does not have.
_OF_CHANNEL = re.compile(
    r"(?<=^ai_config\.)(bedrock|openai|scripted)_config\.(whatsapp|sms|email)\."
)
_TAKEN = "project_id: the company has a project with this id"


def create(
    deps: ApiDependencies, project_id: str, request: Request[ProjectInput]
) -> Callable[[], ProjectView]:
    """
    Return the change that stores a new project, whose settings are its first version. Repeatable.

    Raises NotFound for a key that may not use the project, and InvalidInput with each broken rule. The change raises
    StateConflict if the project exists, and NotProven for a name that is not the company's.
    """
    caller = request.caller
    if not caller.may_use(caller.company, project_id):
        raise NotFound(shown_versions.PROJECT_NOT_FOUND)
    if not re.fullmatch(projects.ID, project_id):
        raise Unusable(
            "project_id", "must be 1 to 64 letters, digits, dots, hyphens or underscores"
        )
    _refuse_incomplete(request.input.ai_config)
    item = storable(request.input.item(caller.company, project_id))
    company = _checked(item)

    def change() -> ProjectView:
        _refuse_taken(deps, caller, project_id, request.cause)
        _own(deps, company, caller)
        live = _store(deps, item, request)
        for used in ownership.used_by(company):
            owner = ownership.owner_of(company, used)
            routes.add_address(deps.resources.log, used.method, used.address.casefold(), owner)
        observation.note(None, item)
        return shown_versions.project_view(item | {versions.LIVE: live})

    return change


def _refuse_incomplete(model: ModelInput) -> None:
    """Raise InvalidInput with the fields that the provider of the model needs."""
    needed = {"bedrock": ("model",), "openai": ("model", "api_key_reference")}
    missing = [name for name in needed.get(model.provider, ()) if getattr(model, name) is None]
    if missing:
        raise InvalidInput(
            [{"field": f"ai_config.{name}", "problem": "is missing"} for name in missing]
        )


def _checked(item: dict[str, Any]) -> Company:
    try:
        return checked(item, None)
    except SettingsRefused as refusal:
        faults = dict.fromkeys((_OF_CHANNEL.sub("", path), rule) for path, rule in refusal.faults)
        raise InvalidInput([{"field": path, "problem": rule} for path, rule in faults]) from None


def _refuse_taken(deps: ApiDependencies, caller: Caller, project_id: str, cause: str) -> None:
    """Raise StateConflict if the project exists, unless an attempt of this call has stored it."""
    item = deps.resources.companies.table.get(projects.key(caller.company, project_id))
    if item is None:
        return
    made = project_versions.of_project(deps.resources.log, caller.company, project_id)
    live = made.read(int(item.get(versions.LIVE, 0)))
    if live is None or live.made_for != cause:
        raise StateConflict(_TAKEN)


def _own(deps: ApiDependencies, company: Company, caller: Caller) -> None:
    """Check that the company owns all names of the channels, and claim what follows from that. Raises NotProven."""
    log, single = deps.resources.log, deps.single_company
    named = list(_named(company))
    email = company.channel_config.email
    if email is not None:
        where = "channel_config.email.company_email"
        try:
            address = email_address(email.company_email)
        except AddressInvalid:
            raise Unusable(where, ownership.ADDRESS_RULE) from None
        proofs.own_email(
            log, company.company_id, address, where, by=caller.principal, single_company=single
        )
    new = proofs.require(log, company.company_id, named, single_company=single)
    proofs.store(log, company.company_id, new, caller.principal)
    try:
        ownership.claim(log, company, caller.principal)  # the address at a domain that is owned
    except ownership.NotOwned as fault:
        raise NotProven(fault.attribute, fault.rule) from None


def _named(company: Company) -> Iterator[Named]:
    """Yield all names of the channels except e-mail, which its domain decides. Raises Unusable."""
    for used in ownership.used_by(company):
        if used.attribute != "channel_config.email.company_email":
            yield from (Named(one, used.attribute) for one in ids.of_phone(used.address))
    whatsapp = company.channel_config.whatsapp
    if whatsapp is None:
        return
    given = {"phone_number_id": whatsapp.phone_number_id, "account": whatsapp.account}
    for name, text in given.items():
        where = f"{_WHATSAPP}.{name}"
        try:
            read = ids.number if name == "phone_number_id" else _account
            yield Named(read(str(text)), where, rule=proofs.LISTED_RULE)
        except ids.IdInvalid as fault:
            raise Unusable(where, str(fault)) from None


def _account(text: str) -> ids.ProviderId:
    return ids.meta_id(ids.ACCOUNT, text)


def _store(deps: ApiDependencies, item: dict[str, Any], request: Request[ProjectInput]) -> int:
    """
    Store the first version and then the project, and return the version's number: 1, unless another call has stored
    one without its project. Raises StateConflict if another call has created the project meanwhile.
    """
    company_id, project_id = str(item["company_id"]), str(item["project_id"])
    wanted = Version(
        settings=versions.settings_of(item),
        by=request.caller.principal,
        at=clock.to_text(clock.now_ms()),
        made_for=request.cause,
    )
    made = project_versions.of_project(deps.resources.log, company_id, project_id)
    number = made.add(wanted).number
    where = projects.key(company_id, project_id)
    given = {name: value for name, value in item.items() if name not in where}
    try:
        deps.resources.companies.table.update(
            where,
            put={**given, versions.LIVE: number},
            when=Attr(projects.PARTITION_KEY).not_exists(),
        )
    except ConditionFailed as refusal:
        if (refusal.existing or {}).get(versions.LIVE) != number:
            raise StateConflict(_TAKEN) from None
    return number
