"""The demo companies on a new stack: their secrets, numbers and keys, created with the operators' own commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from events.conversations import recruiting, sample_data, twilio
from events.richpanel.sample_data import KEYS, SWITCHES
from events.richpanel.samples import HMAC_KEY, TOKEN
from events.whatsapp.sample_data import (
    APP_ID,
    APP_SECRET,
    COMPANY,
    COUNTER,
    LOAD_COMPANY,
    LOAD_NUMBER,
    WORKSHOP,
    BusinessNumber,
)
from local.stack.deployment import STACK_NAME
from local.stack.emulator import ministack
from local.stack.processes import ROOT, StackError
from shared.access.user_pool import People, address_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from local.stack.deployment import Stack

DOMAIN = "shop.example"  # of the mailboxes
GRAPH_TOKEN = "a token of the sandbox"
# People of the demo companies. The stack is on the loopback, and each start makes another one.
PASSWORD = "Sample-Password-1"
LOGINS = {
    "agent@acme.example": f"{COMPANY}:agent",
    "supervisor@acme.example": f"{COMPANY}:supervisor",
    "admin@acme.example": f"{COMPANY}:admin",
    "operator@acme.example": f"{COMPANY}:operator",
    "recruiter@acme.example": f"{sample_data.COMPANY}:supervisor",
}
NAMES = {
    "agent@acme.example": "Ada Byron",
    "supervisor@acme.example": "Grace Murray",
    "admin@acme.example": "Emmy Noether",
    "operator@acme.example": "Alan Mathison",
    "recruiter@acme.example": "Mary Fairfax",
}
TEAM = "repairs"
MEMBERS = ("agent@acme.example", "supervisor@acme.example")


def seed(stack: Stack) -> str:
    """Register everything the samples need, and return an API key of the company. Idempotent."""
    secrets = stack.client("secretsmanager")
    # Keeps the verify token, which the deployment generated.
    apps = stack.secret("whatsapp_apps") | {"apps": {APP_ID: [APP_SECRET]}}
    secrets.put_secret_value(SecretId=stack.secrets["whatsapp_apps"], SecretString=json.dumps(apps))
    tokens = json.dumps({COMPANY: GRAPH_TOKEN, LOAD_COMPANY: GRAPH_TOKEN})
    secrets.put_secret_value(SecretId=stack.secrets["whatsapp_tokens"], SecretString=tokens)
    _seed_help_desk(stack)
    _seed_recruiting(stack)
    _seed_logins(stack)
    grant(stack, "email", f"@{DOMAIN}")
    _register(
        stack,
        COUNTER,
        "--provider",
        "graph",
        "--app",
        APP_ID,
        "--token-ref",
        COMPANY,
        "--auto-mark-read",
    )
    aws_waba = f"waba-{WORKSHOP.waba_arn.rpartition('/')[2]}"
    _register(
        stack, WORKSHOP, "--provider", "eum", "--phone-arn", WORKSHOP.arn, "--aws-waba", aws_waba
    )
    return operate(
        stack,
        "api-keys",
        "create",
        "--company",
        COMPANY,
        "--scopes",
        "whatsapp:read",
        "--name",
        "demo",
    )


def grant(stack: Stack, kind: str, text: str, company: str = COMPANY) -> None:
    """Grant a provider's resource to a company, as an operator does."""
    operate(stack, "owners", "grant", "--company", company, "--kind", kind, "--id", text)


def _seed_logins(stack: Stack) -> None:
    people = People(stack.client("cognito-idp"), stack.user_pool_id)
    known = {address_of(one) for one in people.all()}
    for address in LOGINS.keys() - known:
        people.create(
            address,
            [LOGINS[address]],
            invites=False,
            password=PASSWORD,
            name=NAMES[address],
        )
        people.set_password(address, PASSWORD, is_final=True)
    for address in MEMBERS:
        people.add(address, f"{COMPANY}:team:{TEAM}")


def logins_text(stack: Stack) -> str:
    """Return where the console is, and who can log in. Requires `seed`."""
    people = "\n".join(f"  {address}  {role}  {NAMES[address]}" for address, role in LOGINS.items())
    return "\n".join(
        [
            f"console: {stack.console_url}",
            f"password of each login: {PASSWORD}",
            people,
            f"team {TEAM}: {', '.join(MEMBERS)}",
        ]
    )


def _seed_help_desk(stack: Stack) -> None:
    secrets = stack.client("secretsmanager")
    proofs = json.dumps({"active_tokens": [TOKEN], "active_hmac_keys": [HMAC_KEY]})
    secrets.put_secret_value(SecretId=stack.secrets["richpanel_webhook"], SecretString=proofs)
    # Keeps the salt, which the deployment generated.
    keys = json.dumps(stack.secret("richpanel_keys") | KEYS)
    secrets.put_secret_value(SecretId=stack.secrets["richpanel_keys"], SecretString=keys)
    _switch(stack, "richpanel", SWITCHES)


def _seed_recruiting(stack: Stack) -> None:
    secrets = stack.client("secretsmanager")
    secrets.put_secret_value(
        SecretId=stack.secrets["twilio_webhook"], SecretString=json.dumps(twilio.SECRET)
    )
    # Written before anything is hashed with the key that the deployment generated.
    secrets.put_secret_value(
        SecretId=stack.secrets["identifier_keys"],
        SecretString=json.dumps(sample_data.IDENTIFIER_KEYS),
    )
    text = json.dumps(sample_data.TWILIO_SECRET)
    try:
        secrets.create_secret(Name=sample_data.TWILIO_SECRET_ID, SecretString=text)
    except secrets.exceptions.ResourceExistsException:
        secrets.put_secret_value(SecretId=sample_data.TWILIO_SECRET_ID, SecretString=text)
    _switch(stack, "whatsapp", {"safe_mode": "false"})
    _switch(stack, "conversations", {"safe_mode": "false", "automation_enabled": "true"})
    _switch(stack, "email-threads", {"safe_mode": "false", "automation_enabled": "true"})
    put_project(stack, recruiting.project())


def put_project(stack: Stack, item: Mapping[str, Any]) -> None:
    """Create or replace a project."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(item, file)
        file.flush()
        operate(stack, "projects", "put", file.name)


def recruiting_key(stack: Stack, *scopes: str, project: str = sample_data.PROJECT) -> str:
    """Create an API key for a project of the recruiting company. Requires `seed`."""
    return operate(
        stack, "api-keys", "create", "--company", sample_data.COMPANY, "--project", project,
        "--scopes", *scopes, "--name", "demo",
    )  # fmt: skip


def _switch(stack: Stack, context: str, switches: Mapping[str, str]) -> None:
    for name, text in switches.items():
        stack.client("ssm").put_parameter(
            Name=f"/parley/local/{context}/{name}", Value=text, Type="String", Overwrite=True
        )


def seed_load(stack: Stack) -> None:
    """Register the number of the load run, which belongs to a separate company. Requires `seed`."""
    _register(
        stack,
        LOAD_NUMBER,
        "--provider",
        "graph",
        "--app",
        APP_ID,
        "--token-ref",
        LOAD_COMPANY,
        company=LOAD_COMPANY,
    )


def _register(stack: Stack, number: BusinessNumber, *options: str, company: str = COMPANY) -> None:
    operate(
        stack, "phones", "register", "--company", company, "--phone", number.phone, "--display-phone", number.display,
        "--waba", number.waba, "--name", "Acme Bicycles", *options,
    )  # fmt: skip


def operate(stack: Stack, command: str, *arguments: str) -> str:
    """Run one of the operators' commands on this stack and return its output. Raises StackError."""
    ran = subprocess.run(
        [sys.executable, "-m", "operations", command, *arguments, "--stack", STACK_NAME],
        cwd=ROOT,
        env={
            **os.environ,
            **ministack.CREDENTIALS,
            "AWS_ENDPOINT_URL": stack.aws_endpoint,
            "AWS_DEFAULT_REGION": stack.region,
            "STAGE": "local",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise StackError(f"operations {command} failed:\n{ran.stderr}")
    return ran.stdout.strip()
