"""Checks that a project names only secrets, accounts and numbers of its own company, before it is stored."""

from collections.abc import Iterator

import boto3

from conversations.ai.config import AiConfig
from conversations.configuration import ownership
from conversations.configuration.projects import Company
from operations.arguments import Refused
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.identity.secret_owners import SECRET_RULE, owns_secret
from shared.providers.outcomes import Misconfigured
from shared.providers.twilio.api import credentials_of
from whatsapp import store

CHANNELS_WITH_ACCOUNTS = ("whatsapp", "sms")


def check_secrets(company: Company) -> None:
    """Check that every named secret and token belongs to the project's company. Raises Refused and AiConfigBroken."""
    for used in ownership.used_by(company):
        try:
            ownership.check_credentials(company, used.method)
        except ownership.NotOwned as fault:
            raise Refused(f"{fault.attribute}: {fault.rule}") from None
    for attribute, name in _secrets_of_models(company):
        if not owns_secret(company.company_id, name):
            raise Refused(f"{attribute}: {SECRET_RULE}")


def accounts_of(company: Company) -> dict[str, str]:
    """
    Return the Twilio account of each channel that uses one, read from the channel's secret.

    Raises Refused if the secret cannot be read or the project names another account: only the holder of an account's
    credentials may receive its messages.
    """
    accounts: dict[str, str] = {}
    for name in CHANNELS_WITH_ACCOUNTS:
        channel = getattr(company.channel_config, name)
        if channel is None or channel.provider != "twilio":
            continue
        where = f"channel_config.{name}"
        if channel.credentials_id is None:
            raise Refused(f"{where}.{name}_credentials_id: is missing")
        accounts[name] = _account_in(channel.credentials_id, where)
        if channel.account not in {None, accounts[name]}:
            raise Refused(f"{where}.account: must be the account of the channel's secret")
    return accounts


def check_inbox(inbox: Table, company: Company) -> None:
    """Check that the project's number in the inbox is registered for its company. Raises Refused."""
    whatsapp = company.channel_config.whatsapp
    if whatsapp is None or whatsapp.provider not in ownership.OF_THE_INBOX:
        return
    where = "channel_config.whatsapp"
    if whatsapp.account is None:
        raise Refused(f"{where}.account: is missing")
    if not whatsapp.phone_number_id:
        raise Refused(f"{where}.phone_number_id: is missing")
    named = store.phones.addressed(inbox, whatsapp.phone_number_id, "")
    own = [phone for phone in named if phone.company == company.company_id]
    if not own:
        raise Refused(
            f"{where}.phone_number_id: must be a number registered by `operations phones`"
            " for this company"
        )
    if whatsapp.account not in {phone.waba_meta_id for phone in own}:
        raise Refused(f"{where}.account: must be the account that the number is registered with")
    if whatsapp.address not in {f"+{phone.display_phone}" for phone in own}:
        raise Refused(f"{where}.company_whatsapp_number: must be the number of phone_number_id")


def _secrets_of_models(company: Company) -> Iterator[tuple[str, str]]:
    """Yield each secret named in the AI configuration of the project's channels, as (attribute, name)."""
    for method in company.allowed_channels:
        config = AiConfig.read(company.ai_config, method.value)
        if config.api_key_reference is not None:
            where = f"ai_config.{config.provider}_config.{method}.api_key_reference"
            yield where, config.api_key_reference
        for position, function in enumerate(config.functions):
            if function.secret_reference is not None:
                yield f"ai_config.functions.{position}.secret_reference", function.secret_reference


def _account_in(secret_id: str, where: str) -> str:
    secret = JsonSecret(lambda: boto3.client("secretsmanager"), secret_id)
    try:
        return credentials_of(secret.value()).account_sid
    except (SecretUnreadable, Misconfigured):
        raise Refused(
            f"{where}: the secret {secret_id} must contain twilio_account_sid, and a token or a key"
        ) from None
