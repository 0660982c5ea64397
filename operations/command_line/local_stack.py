"""The local stack as a deployment for the commands: `--local` reads the description that `make up` writes."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import boto3

DESCRIPTION = Path(__file__).parents[2] / ".local" / "stack.json"

_SETTINGS = {
    "AWS_ENDPOINT_URL": "aws_endpoint",
    "AWS_DEFAULT_REGION": "region",
    "AWS_ACCESS_KEY_ID": "access_key_id",
    "AWS_SECRET_ACCESS_KEY": "secret_access_key",
}


class NotRunning(Exception):
    """There is no usable description of a local stack; the text names the next step."""


@dataclass(frozen=True, slots=True)
class LocalStack:
    """Names and URLs of the running local stack."""

    stack_name: str
    api_url: str
    sandbox_url: str
    console_url: str


def select() -> LocalStack:
    """Make all boto3 clients of this process use the local stack, and return it. Raises NotRunning."""
    try:
        text = DESCRIPTION.read_text(encoding="utf-8")
    except OSError:
        raise NotRunning("there is no .local/stack.json; start the stack with `make up`") from None
    try:
        description = json.loads(text)
        found = LocalStack(
            *(
                str(description[name])
                for name in ("stack_name", "api_url", "sandbox_url", "console_url")
            )
        )
        settings = {variable: description[name] for variable, name in _SETTINGS.items()}
    except (ValueError, KeyError, TypeError):
        settings = {}
    if not settings or not all(isinstance(value, str) for value in settings.values()):
        raise NotRunning(".local/stack.json is incomplete; run `make down`, then `make up`")
    # Each of these would take precedence over the settings above.
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    # Clients use the proxies of the shell; the emulator is on the loopback.
    os.environ.update(settings, STAGE="local", NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")
    boto3.setup_default_session()
    return found
