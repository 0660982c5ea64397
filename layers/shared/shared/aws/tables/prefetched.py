"""A table of which some items were read together, before code that reads them one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.dynamodb import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes


class PrefetchedTable(Table):
    """
    The same table; the first `get` of each of these keys is answered with what one batch has read.

    Every later `get` reads the table, so a run that starts over after a concurrent write sees the present item. All
    reads are strongly consistent. Raises what `get_many` raises.
    """

    def __init__(self, table: Table, keys: Sequence[Attributes]) -> None:
        super().__init__(table._client, table.name, table.ttl_attribute)
        self._source = table
        distinct = {_identity(key): key for key in keys}
        self.items: list[Attributes] = table.get_many(list(distinct.values()))
        self._unused: dict[tuple[object, ...], Attributes | None] = dict.fromkeys(distinct)
        names = [name for key in keys[:1] for name in key]
        for item in self.items:
            self._unused[_identity({name: item[name] for name in names})] = item

    @property
    def source(self) -> Table:
        """The table that the batch was read from."""
        return self._source

    def get(self, key: Attributes) -> Attributes | None:
        """Return the item of the batch at the first call with its key, later the present one."""
        identity = _identity(key)
        if identity in self._unused:
            return self._unused.pop(identity)
        return super().get(key)


def _identity(key: Attributes) -> tuple[object, ...]:
    return tuple(sorted(key.items()))
