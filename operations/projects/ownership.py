"""Checks the secrets, accounts and numbers that a project names: they exist and belong to its own company."""

from collections.abc import Callable, Iterator

from conversations.ai.project_checks.secrets import secrets_of_models
from conversations.configuration import ownership
from conversations.configuration.projects import Company
from operations.command_line.arguments import Refused
from operations.secrets.references import Missing, StoredSecrets
from shared.aws.dynamodb import Table
from shared.providers.outcomes import InDoubt, Misconfigured, NotSent
from shared.providers.outcomes import Refused as ProviderRefused
from shared.providers.twilio.api import Credentials, check_account, credentials_of
from whatsapp import store

CHANNELS_WITH_ACCOUNTS = ("whatsapp", "sms")


def missing_secrets(company: Company, secrets: StoredSecrets) -> Iterator[tuple[str, Missing]]:
    """Yield each secret that a project names and that is missing or incomplete, with the attribute that names it."""
    for name in CHANNELS_WITH_ACCOUNTS:
        channel = getattr(company.channel_config, name)
        if channel is None or channel.credentials_id is None:
            continue
        where = f"channel_config.{name}.{name}_credentials_id"
        if channel.provider == "meta":
            needed = [secrets.token(channel.credentials_id)]
        elif channel.provider == "twilio":
            needed = [_missing_of_twilio(secrets, channel.credentials_id)]
            if channel.account:
                needed.append(secrets.twilio_account(channel.account))
        else:
            needed = []
        yield from ((where, missing) for missing in needed if missing)
    for attribute, secret_id, field in secrets_of_models(company):
        missing = secrets.of_company(secret_id, field)
        if missing:
            yield attribute, missing


def accounts_of(company: Company, secrets: StoredSecrets) -> dict[str, str]:
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
        accounts[name] = _account_in(channel.credentials_id, where, secrets)
        if channel.account not in {None, accounts[name]}:
            raise Refused(f"{where}.account: must be the account of the channel's secret")
    return accounts


def check_accounts(company: Company, secrets: StoredSecrets, twilio_url: Callable[[], str]) -> None:
    """Check that Twilio shows each account of the project for the credentials of its channel. Raises Refused."""
    checked: set[Credentials] = set()
    for name in CHANNELS_WITH_ACCOUNTS:
        channel = getattr(company.channel_config, name)
        if channel is None or channel.provider != "twilio":
            continue
        credentials = credentials_of(secrets.content(channel.credentials_id) or {})
        if credentials in checked:
            continue
        try:
            check_account(twilio_url(), credentials)
        except (ProviderRefused, NotSent, InDoubt) as failure:
            raise Refused(
                f"channel_config.{name}.account: Twilio does not show it for the credentials of the"
                f" channel's secret ({failure})"
            ) from None
        checked.add(credentials)


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
    own = store.phones.addressed(inbox, company.company_id, whatsapp.phone_number_id, "")
    if not own:
        raise Refused(
            f"{where}.phone_number_id: must be a number registered by `operations phones`"
            " for this company"
        )
    if whatsapp.account not in {phone.waba_meta_id for phone in own}:
        raise Refused(f"{where}.account: must be the account that the number is registered with")
    if whatsapp.address not in {f"+{phone.display_phone}" for phone in own}:
        raise Refused(f"{where}.company_whatsapp_number: must be the number of phone_number_id")


def _account_in(secret_id: str, where: str, secrets: StoredSecrets) -> str:
    rule = f"{where}: the secret {secret_id} must contain twilio_account_sid, and a token or a key"
    missing = _missing_of_twilio(secrets, secret_id)
    if missing:
        raise Refused(f"{rule}; {missing.step}")
    try:
        return credentials_of(secrets.content(secret_id) or {}).account_sid
    except Misconfigured:
        raise Refused(rule) from None


def _missing_of_twilio(secrets: StoredSecrets, secret_id: str) -> Missing | None:
    """Return what is missing in a company's secret to send with Twilio, None if nothing is."""
    content = secrets.content(secret_id) or {}
    key = ("twilio_api_key_sid", "twilio_api_key_secret")
    proof = key if any(name in content for name in key) else ("twilio_auth_token",)
    found = (secrets.of_company(secret_id, name) for name in ("twilio_account_sid", *proof))
    return next((missing for missing in found if missing), None)
