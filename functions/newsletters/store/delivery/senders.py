"""The companies that send issues now: one item, a set with a member for each company and end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.store.items import Senders
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

_ACCOUNT: Final = "~account"  # no company has this name


def note(table: Table, company_id: str, until_ms: int) -> int:
    """
    Count a company as sending until then (ms since 1970), and return how many companies there are. One write, a second
    one if others have ended. Safe to repeat.
    """
    key = Senders.key(_ACCOUNT)
    expiry = {"ttl": clock.expires_in(clock.DAY_SECONDS)}
    stored = table.update(key, add={"companies": {f"{until_ms}#{company_id}"}}, put=expiry)
    members: set[str] = stored["companies"]
    ended = {one for one in members if int(one.partition("#")[0]) <= clock.now_ms()}
    if ended:
        table.update(key, take_from_set={"companies": ended})
    return len({one.partition("#")[2] for one in members - ended})
