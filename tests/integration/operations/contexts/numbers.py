"""The command `phones` on tables of moto: options of two numbers, and calls that register them."""

import boto3

from operations.contexts.whatsapp import phones
from shared.aws.dynamodb import Attributes, Table
from tests.template import create_table, properties
from whatsapp import store
from whatsapp.store.items import Phone, pk

GRAPH = {
    "--phone": "106540352242922",
    "--display-phone": "+1 555 078 3881",
    "--company": "acme",
    "--provider": "graph",
    "--waba": "102290129340398",
    "--token-ref": "acme",
    "--app": "1029384756",
}


SUFFIX = "0123456789abcdef" * 2


AWS_ARN = f"arn:aws:social-messaging:us-east-1:000000000000:phone-number-id/{SUFFIX}"


EUM = {
    "--phone": "206540352242933",
    "--display-phone": "15550783999",
    "--company": "acme",
    "--provider": "eum",
    "--waba": "202290129340398",
    "--phone-arn": AWS_ARN,
    "--aws-waba": f"waba-{SUFFIX}",
}


GRAPH_ARN = "arn:parley:whatsapp:::phone-number-id/106540352242922"


def run(table: Table, *arguments: str) -> int:
    store.phones.forget()
    return phones.main([*arguments, "--table", table.name])


def register(table: Table, options: dict[str, str], *flags: str) -> int:
    words = (word for pair in options.items() for word in pair)
    return run(table, "register", *words, *flags, "--log-table", log().name)


def log() -> Table:
    """The conversation log, which has the owners."""
    client = boto3.client("dynamodb")
    name = str(properties("ConversationLogTable")["TableName"])
    if name not in client.list_tables()["TableNames"]:
        create_table(client, "ConversationLogTable")
    return Table(client, name)


def item(table: Table, phone: str) -> Attributes:
    return table.get(pk(Phone.key(phone))) or {}
