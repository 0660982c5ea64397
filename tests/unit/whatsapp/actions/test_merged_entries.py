"""Pages of merged partitions: every entry once, in order, for any page size and any times."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from whatsapp.store.conversations.lists import merged_entries
from whatsapp.store.conversations.lists.merged_entries import EntryList


class Index:
    """An index in memory: partitions in the order of their sort key."""

    def __init__(self, partitions: dict[str, list[str]]) -> None:
        self.entries = {
            name: [
                {"pk": f"{name}{number}", "conversationPk": name, "receivedAt": time}
                for number, time in enumerate(sorted(times))
            ]
            for name, times in partitions.items()
        }

    def query(
        self, _index: str, condition: Any, *, limit: int, start: Any, newest_first: bool
    ) -> tuple[list[dict[str, str]], dict[str, str] | None]:
        partition = condition.get_expression()["values"][1]
        entries = self.entries[partition]
        ordered = entries[::-1] if newest_first else entries
        first = ordered.index(start) + 1 if start else 0
        page = ordered[first : first + limit]
        more = first + limit < len(ordered)
        return page, page[-1] if more else None


@given(
    partitions=st.dictionaries(
        st.sampled_from("abc"), st.lists(st.sampled_from("12345"), max_size=9), min_size=1
    ),
    size=st.integers(1, 5),
    shown=st.integers(1, 5),
    newest_first=st.booleans(),
)
@settings(derandomize=True)
def test_all_pages_together_have_every_entry_once_in_order(
    partitions: dict[str, list[str]], size: int, shown: int, newest_first: bool
) -> None:
    index: Any = Index(partitions)
    listed = EntryList(
        index="-",
        field="conversationPk",
        time="receivedAt",
        partitions=list(partitions),
        newest_first=newest_first,
    )
    found: list[dict[str, str]] = []
    positions = listed.first_positions()
    while positions:
        page = merged_entries.page(index, listed, positions, limit=size)
        taken = min(shown, len(page.entries))
        found += page.entries[:taken]
        positions = page.after(taken)

    assert len(found) == sum(map(len, partitions.values()))
    assert len({entry["pk"] for entry in found}) == len(found)
    times = [entry["receivedAt"] for entry in found]
    assert times == sorted(times, reverse=newest_first)
