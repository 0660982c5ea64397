"""Checks of the kill switches: present, valid, and open where something is connected."""

from collections.abc import Mapping
from dataclasses import fields

from conversations.configuration.projects import ProjectStatus
from operations.doctor.connections import uses_help_desk
from operations.doctor.deployment import Deployment, client
from operations.doctor.findings import Finding, action, ok
from operations.projects import cli as projects
from richpanel.decisions.switches import Switches, SwitchInvalid, read_switch
from shared.policy import kill_switches

HELP_DESK_PATH = "RichpanelSwitchesPath"
INBOX_PATH = "WhatsAppSwitchesPath"
EMAIL_PATH = "EmailSwitchesPath"
CONVERSATIONS_PATH = "ConversationsSwitchesPath"
OPEN = {kill_switches.SAFE_MODE: "false", kill_switches.AUTOMATION: "true"}
_EFFECT = {
    kill_switches.SAFE_MODE: "nothing is sent",
    kill_switches.AUTOMATION: "agents reply instead of the model",
}
_HELP_DESK_STEP = "turn on the help desk step by step: docs/connect/richpanel.md"


def whatsapp(deployment: Deployment) -> list[Finding]:
    """Check the switch of the inbox, which may stay closed where agents do not send from it."""
    return _present(deployment.output(INBOX_PATH), {kill_switches.SAFE_MODE: "false"})


def email_threads(deployment: Deployment) -> list[Finding]:
    """Check the switches of e-mail threads, which may stay closed where mail is only received."""
    return _present(deployment.output(EMAIL_PATH), OPEN)


def _present(path: str, open_texts: Mapping[str, str]) -> list[Finding]:
    """Check that switches exist and are true or false."""
    texts = _texts(path)
    found = []
    for switch, open_text in open_texts.items():
        name, text = f"{path}/{switch}", texts.get(switch)
        if text in {"true", "false"}:
            found.append(ok(name, text))
            continue
        command = f"`aws ssm put-parameter --overwrite --name {name} --value {open_text}`"
        step = f"when you want to send: {command}"
        found.append(action(name, "is missing or neither true nor false", step))
    return found


def conversations(deployment: Deployment) -> list[Finding]:
    """Check the switches of the AI conversations; closed ones need action if a project is active."""
    path = deployment.output(CONVERSATIONS_PATH)
    texts = _texts(path)
    companies = deployment.table(projects.TABLE)
    is_used = any(
        item.get("project_status", ProjectStatus.ACTIVE) == ProjectStatus.ACTIVE
        for item in projects.stored_projects(companies)
    )
    found = []
    for name, open_text in OPEN.items():
        text = texts.get(name)
        step = f"when you want to send: `aws ssm put-parameter --overwrite --name {path}/{name} --value {open_text}`"
        if text not in {"true", "false"}:
            found.append(action(f"{path}/{name}", "is missing or neither true nor false", step))
        elif text == open_text or not is_used:
            found.append(ok(f"{path}/{name}", text))
        else:
            found.append(action(f"{path}/{name}", f"is {text}: {_EFFECT[name]}", step))
    return found


def help_desk(deployment: Deployment) -> list[Finding]:
    """Check the switches of the help desk; closed ones need action if the help desk is connected."""
    path = deployment.output(HELP_DESK_PATH)
    texts = _texts(path)
    broken = []
    for name in (field.name for field in fields(Switches)):
        try:
            read_switch(name, texts[name])
        except KeyError:
            broken.append(
                action(
                    f"{path}/{name}",
                    "is missing",
                    f"set it: `aws ssm put-parameter --type String --name {path}/{name} --value ...`",
                )
            )
        except SwitchInvalid as fault:
            broken.append(action(f"{path}/{name}", fault.problem, _HELP_DESK_STEP))
    if broken:
        return broken
    is_used = uses_help_desk(deployment)
    for name, closed in (
        ("dry_run", "true"),
        ("safe_mode", "true"),
        ("automation_enabled", "false"),
    ):
        if is_used and texts[name] == closed:
            return [action(f"{path}/{name}", f"is {closed}: no automatic replies", _HELP_DESK_STEP)]
    return [ok(path, "all valid")]


def _texts(path: str) -> dict[str, str]:
    pages = client("ssm").get_paginator("get_parameters_by_path")
    return {
        parameter["Name"].rsplit("/", 1)[-1]: parameter["Value"]
        for page in pages.paginate(Path=path)
        for parameter in page["Parameters"]
    }
