"""The business's numbers, cached for a minute: every event asks for one."""

from shared import clock
from shared.dynamodb import Table
from whatsapp.items import Phone, PhoneList, pk

CACHE_MS = 60 * clock.SECOND_MS

_cache: dict[tuple[str, str], tuple[int, Phone]] = {}


def get(table: Table, phone: str) -> Phone | None:
    """The number with Meta's id *phone*; None when it is not registered. Up to a minute old."""
    # By table as well, so that no test and no second deployment sees the first one's numbers.
    cached = _cache.get((table.name, phone))
    if cached and clock.now_ms() - cached[0] < CACHE_MS:
        return cached[1]
    item = table.get(pk(Phone.key(phone))) if phone else None
    if item is None:
        return None  # Not cached: a number that is being registered works at once.
    found = Phone.read(item)
    _cache[table.name, phone] = (clock.now_ms(), found)
    return found


def forget() -> None:
    """Empty the cache: what is in it is of another run."""
    _cache.clear()


def of_company(table: Table, company: str) -> list[str]:
    """The ids of a company's numbers, in the order they were registered."""
    item = table.get(pk(PhoneList.pk_pattern))
    phones = PhoneList.read(item).phones if item else []
    return [entry["phone"] for entry in phones if entry.get("company") == company]
