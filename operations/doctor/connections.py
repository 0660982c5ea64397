"""Checks of what is connected: numbers and accounts of the inbox, projects of AI conversations, with their secrets."""

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from conversations.ai.config import AiConfigBroken
from conversations.ai.project_checks.secrets import foreign_secrets
from conversations.configuration import projects as settings
from conversations.configuration.projects import Company, ConfigurationInvalid
from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.doctor.deployment import Deployment, client
from operations.doctor.findings import Finding, action, ok
from operations.projects import cli as projects
from operations.projects import ownership as project_ownership
from operations.secrets.kinds import KINDS
from operations.secrets.references import Missing
from whatsapp import store
from whatsapp.store.items import Phone

_UNKNOWN_ACCOUNT = "ResourceNotFoundException"
_DOCUMENT = "docs/connect/aws-end-user-messaging.md"
HELP_DESK_KEYS = KINDS["richpanel-keys"]


def uses_help_desk(deployment: Deployment) -> bool:
    """Whether the help desk is connected: its API key is stored."""
    return deployment.secrets.missing(HELP_DESK_KEYS, "richpanel") is None


def anything(deployment: Deployment) -> list[Finding]:
    """Check that a number, a project or the help desk is connected."""
    counts = {
        "numbers": len(store.phones.listed(deployment.table(arguments.TABLE_OF_INBOX))),
        "projects": len(list(projects.stored_projects(deployment.table(projects.TABLE)))),
        "help desk": int(uses_help_desk(deployment)),
    }
    text = ", ".join(f"{name}: {count}" for name, count in counts.items())
    if any(counts.values()):
        return [ok("all", text)]
    return [action("all", text, "connect a provider: docs/connect")]


def numbers(deployment: Deployment) -> list[Finding]:
    """Check that each listed number is stored alike, enabled, and has its app secret, token and project."""
    inbox = deployment.table(arguments.TABLE_OF_INBOX)
    automated = {
        company.channel_config.whatsapp.phone_number_id
        for _, company in _companies(deployment)
        if company and company.channel_config.whatsapp
    }
    found = []
    for entry in store.phones.listed(inbox):
        phone = store.phones.get(inbox, entry["phone"])
        problems = list(_problems(deployment, entry, phone, automated))
        found += [action(entry["phone"], problem.text, problem.step) for problem in problems]
        if not problems and phone:
            found.append(ok(entry["phone"], f"{phone.provider}, enabled"))
    return found or [ok("all", "none registered")]


def event_destinations(deployment: Deployment) -> list[Finding]:
    """Check that AWS sends the events of each linked account to this stack. The local stack has no such account."""
    inbox = deployment.table(arguments.TABLE_OF_INBOX)
    phones = [store.phones.get(inbox, entry["phone"]) for entry in store.phones.listed(inbox)]
    accounts = {one.aws_waba for one in phones if one and one.enabled and one.provider == "eum"} - {
        None
    }
    if deployment.is_local or not accounts:
        return [ok("all", "none at AWS")]
    topic, social = deployment.output("WhatsAppSocialTopicArn"), client("socialmessaging")
    found = []
    for account in sorted(map(str, accounts)):
        try:
            answer = social.get_linked_whatsapp_business_account(id=account)
        except ClientError as error:
            if error.response["Error"]["Code"] != _UNKNOWN_ACCOUNT:
                raise
            step = f"register its numbers with the account that AWS lists: {_DOCUMENT}"
            found.append(action(account, "AWS does not list it", step))
            continue
        linked = answer.get("account", {})
        named = [one["eventDestinationArn"] for one in linked.get("eventDestinations", [])]
        if topic in named:
            found.append(ok(account, "its events reach this stack"))
            continue
        text = "its events go to another topic" if named else "it has no event destination"
        step = f"set the event destination of {account} to {topic}: {_DOCUMENT}"
        found.append(action(account, text, step))
    return found


def project_settings(deployment: Deployment) -> list[Finding]:
    """Check that each project is valid, and that its number, accounts and secrets exist."""
    inbox = deployment.table(arguments.TABLE_OF_INBOX)
    found = []
    for name, company in _companies(deployment):
        problems = list(_problems_of_project(deployment, inbox, company)) if company else [_INVALID]
        found += [action(name, problem.text, problem.step) for problem in problems]
        if not problems:
            found.append(ok(name, "valid"))
    return found or [ok("all", "none stored")]


_INVALID = Missing(
    "the settings are invalid", "`python -m operations projects list` names the attribute"
)


def _companies(deployment: Deployment) -> Iterator[tuple[str, Company | None]]:
    """Yield each project by its company and project id; None if its settings are invalid."""
    for item in projects.stored_projects(deployment.table(projects.TABLE)):
        name = f"{item['company_id']} {item['project_id']}"
        try:
            yield name, settings.parse(item)
        except ConfigurationInvalid:
            yield name, None


def _problems(
    deployment: Deployment, entry: dict[str, Any], phone: Phone | None, automated: set[str | None]
) -> Iterator[Missing]:
    register = f"register {entry['phone']} again: `python -m operations phones register`"
    if phone is None:
        yield Missing("is listed, but not stored", register)
        return
    listed = (
        entry["company"],
        entry["phoneArn"],
        entry["displayPhone"],
        entry.get("waba", phone.waba_meta_id),
    )
    if listed != (phone.company, phone.phone_arn, phone.display_phone, phone.waba_meta_id):
        yield Missing("list and stored number differ", register)
    if not phone.enabled:
        yield Missing("is disabled: its events are parked", register)
    if phone.app_id and (missing := deployment.secrets.app_secret(phone.app_id)):
        yield missing
    if phone.token_ref and (missing := deployment.secrets.token(phone.token_ref)):
        yield missing
    if phone.provider == "graph" and not (phone.app_id and phone.token_ref):
        yield Missing("has no app or no token", register)
    if phone.provider == "eum" and not (phone.aws_phone and phone.aws_waba):
        text = "has no AWS id of its number or its account"
        yield Missing(text, f"{register} with --aws-waba and its ARN")
    if phone.is_automated and not automated & {phone.phone, phone.aws_phone, phone.phone_arn}:
        step = "set phone_number_id in a project, or register the number without --automation"
        yield Missing("is automated, but no project names it", step)


def _problems_of_project(deployment: Deployment, inbox: Any, company: Company) -> Iterator[Missing]:  # noqa: ANN401
    again = (
        f"correct the project, then `python -m operations projects put <file> {deployment.target}`"
    )
    try:
        foreign = [Missing(f"{path}: {rule}", again) for path, rule in foreign_secrets(company)]
        if foreign:
            yield from foreign
            return
        project_ownership.check_inbox(inbox, company)
        for _, missing in project_ownership.missing_secrets(company, deployment.secrets):
            yield missing
    except Refused as fault:
        yield Missing(str(fault), again)
    except AiConfigBroken as fault:
        yield Missing(f"{fault.attribute}: {fault.rule}", again)
