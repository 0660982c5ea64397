"""Model tokens used per project and day."""

from conversations.store.items.base import key
from conversations.store.items.records import Spent
from shared.ai import Usage
from shared.aws.dynamodb import Attributes, Table
from shared.runtime import clock

_DAY = len("2026-03-01")


def add(table: Table, company_id: str, project_id: str, usage: Usage) -> None:
    """Count one model call. A repeated write counts twice: overcounting is safer than undercounting."""
    spent = Spent.named(tokens_in=usage.tokens_in, tokens_out=usage.tokens_out, calls=1)
    facts = {"item_type": Spent.item_type, **Spent.named(ttl=Spent.time_to_live())}
    table.update(_today(company_id, project_id), add=spent, put=facts)


def of_today(table: Table, company_id: str, project_id: str) -> int:
    """Return the input and output tokens used today (UTC), strongly consistent."""
    item = table.get(_today(company_id, project_id))
    spent = Spent.read(item) if item else Spent()
    return spent.tokens_in + spent.tokens_out


def _today(company_id: str, project_id: str) -> Attributes:
    day = clock.to_text(clock.now_ms())[:_DAY]
    return key(Spent.partition(company_id, project_id), Spent.sk(day))
