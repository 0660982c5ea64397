"""Webhook settings of accounts."""

from shared.aws.dynamodb import Table
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.accounts import InfraConfig, WebhookConfig


def get(table: Table, waba: str) -> WebhookConfig | None:
    """Return the settings of the account with Meta's id *waba* (strongly consistent read)."""
    item = table.get(pk(WebhookConfig.key(waba)))
    return WebhookConfig.read(item) if item else None


def replace(table: Table, config: WebhookConfig) -> WebhookConfig:
    """Write the settings of an account if they differ, and return the stored ones. The last write wins."""
    stored = get(table, config.waba_meta_id)
    if stored is not None and _is_same(stored, config):
        return stored
    table.put(config.attributes())
    return config


def get_infra(table: Table) -> InfraConfig | None:
    """Return the stored infrastructure of the deployment (strongly consistent read)."""
    item = table.get(pk(InfraConfig.pk_pattern))
    return InfraConfig.read(item) if item else None


def replace_infra(table: Table, infra: InfraConfig) -> InfraConfig:
    """Write the facts of the deployment if they differ, and return the stored ones. Safe to repeat."""
    stored = get_infra(table)
    if stored is not None and _is_same(stored, infra):
        return stored
    table.put(infra.attributes())
    return infra


def _is_same[Settings: (WebhookConfig, InfraConfig)](stored: Settings, new: Settings) -> bool:
    """Whether two items differ in the time of their change at most."""
    return stored.model_copy(update={"updated_at": new.updated_at}).attributes() == new.attributes()
