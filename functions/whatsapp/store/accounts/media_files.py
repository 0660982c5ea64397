"""The media records of an account."""

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import Media, pk
from whatsapp.store.items.item import PARTITION_KEY

ACCOUNT_INDEX = "gsi_waba_itemtype"


def page(
    table: Table, waba: str, *, limit: int, start: Attributes | None
) -> tuple[list[Media], Attributes | None]:
    """Return one page of the records of the account with Meta's id *waba*, in no order, and where the next begins."""
    entries, last = table.query(
        ACCOUNT_INDEX,
        Key(Media.name_of("waba_meta_id")).eq(waba) & Key("itemType").eq(Media.item_type),
        limit=limit,
        start=start,
    )
    found = table.get_many([pk(str(entry[PARTITION_KEY])) for entry in entries])
    return [Media.read(item) for item in found], last
