"""The file types that WhatsApp accepts, as stored for clients that read the table."""

from shared.aws.dynamodb import Table
from whatsapp.store.items import pk
from whatsapp.store.items.accounts.accounts import MediaTypesConfig


def get(table: Table) -> MediaTypesConfig | None:
    """Return the stored types (strongly consistent read)."""
    item = table.get(pk(MediaTypesConfig.pk_pattern))
    return MediaTypesConfig.read(item) if item else None


def replace(table: Table, config: MediaTypesConfig) -> None:
    """Write the types of the deployed version. Safe to repeat."""
    table.put(config.attributes())
