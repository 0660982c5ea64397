"""The Twilio account that sends for a project: its credentials, for sending and for files that customers sent."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.identity import addresses
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from conversations.configuration.projects import Channel
    from conversations.lifecycle.conversation import OpenConversation
    from shared.providers.company_secrets import CompanySecrets
    from shared.providers.twilio.api import Credentials as Account


def file_proof(
    credentials: CompanySecrets, twilio_url: str, opened: OpenConversation, url: str
) -> dict[str, str]:
    """
    Return the headers for a file at Twilio: the account's credentials; none for any other host. Raises NotSent.

    Without the company's secret, its files are fetched later or never; the message is stored in either case.
    """
    if not url.startswith(f"{twilio_url}/") or opened.channel.provider != "twilio":
        return {}
    try:
        account, _ = twilio_account(credentials, opened)
    except Misconfigured:
        raise NotSent("secrets_missing") from None
    pair = f"{account.user}:{account.password}".encode()
    return {"Authorization": f"Basic {b64encode(pair).decode()}"}


def twilio_account(
    credentials: CompanySecrets, opened: OpenConversation
) -> tuple[Account, dict[str, Any]]:
    """
    Return the sending Twilio account and its secret. Raises Misconfigured and NotSent.

    An account named in the project settings must equal the secret's: any other account is not the company's.
    """
    from shared.providers.twilio.api import credentials_of  # noqa: PLC0415 - of one provider

    channel = opened.channel
    secret = credentials.value(opened.company.company_id, channel.credentials_id)
    account = credentials_of(secret)
    if channel.account not in {None, account.account_sid}:
        method = opened.conversation.channel_method
        raise not_owned(f"channel_config.{method}.account", "account_not_owned")
    return account, secret


def is_unsupported(channel: Channel, customer: str) -> bool:
    """
    Return whether a provider that calls the address invalid only does not support its kind.

    Twilio may refuse WhatsApp's business-scoped user ids, which its own webhooks contain: they are valid.
    """
    return channel.provider == "twilio" and addresses.is_user_id(customer)


def not_owned(attribute: str, code: str) -> Misconfigured:
    """Count and log a project setting that belongs to another company; return the refusal."""
    metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
    logger.error("resource of another company", extra={"attribute": attribute})
    return Misconfigured(code)
