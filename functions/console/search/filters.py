"""The filters of a list of contacts: label, owner, and the value of a filterable attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shared.identity.contacts import tokens
from shared.identity.contacts.attributes import text_of

if TYPE_CHECKING:
    from shared.identity.contacts.details import Described
    from shared.identity.contacts.tokens import Token


class Filters(NamedTuple):
    """Filters by the data that people store about contacts; *attribute* is `{name}:{value}`."""

    label: str | None = None
    owner: str | None = None
    attribute: str | None = None

    def fit(self, described: Described | None) -> bool:
        """Whether a contact has all of it; *described*: what people have stored about it."""
        stored = described.details if described else None
        name, _, value = (self.attribute or "").partition(":")
        given = (stored.attributes or {}).get(name) if stored else None
        return (
            (self.label is None or (stored is not None and self.label in (stored.labels or ())))
            and (self.owner is None or (stored is not None and stored.owner == self.owner))
            and (self.attribute is None or (given is not None and text_of(given) == value))
        )

    @property
    def token(self) -> Token | None:
        """The token of the filter that fewest contacts have; None without filters."""
        if self.attribute is not None:
            name, _, value = self.attribute.partition(":")
            return tokens.of_attribute(name, value)
        if self.label is not None:
            return tokens.of_label(self.label)
        return tokens.of_owner(self.owner) if self.owner is not None else None
