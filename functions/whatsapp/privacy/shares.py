"""
One person's share of the changes to a message that has not arrived, or is another person's: changes by others stay.

Edits, revocations and reactions of several people are in one EDIT item. Of the fields of revocations it has the ones of
the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from shared.aws.dynamodb import ConditionFailed
from shared.identity import addresses
from shared.runtime.failures import Transient
from whatsapp.store import ordering
from whatsapp.store.inbox import message_reports
from whatsapp.store.items import Edit, pk

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.privacy.subjects import Contact

_LATEST: Final = "9999-12-31T23:59:59.999Z"
SHARE: Final = "share"  # the act on an EDIT item of which others have a part

type _Change = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Share:
    """The changes of a contact up to a time."""

    contact: Contact
    until: str

    def has(self, edit: Edit, change: _Change) -> bool:
        """
        Whether an edit or a revocation is the contact's, or in its conversation. One that names no customer is the
        contact's if the item is listed under it.
        """
        if str(change["at"]) > self.until:
            return False
        author, phone = change.get("author") or {}, edit.pk.split("#", 2)[1]
        named = [author.get("userId"), addresses.normal_digits(author.get("phone") or "")]
        if not any(named):
            return edit.customer_phone in self.contact.hashes
        ids = {addresses.normal_digits(one) if one.isdecimal() else one for one in self.contact.ids}
        return any(one in ids and self.contact.has(phone, one) for one in named)

    def of(self, edit: Edit) -> Edit:
        """Return the contact's share of an item."""
        return self._kept(edit, lambda is_theirs: is_theirs).model_copy(update={"original": None})

    def has_more(self, edit: Edit) -> bool:
        """Whether the contact has changed more since: the item stays listed under it."""
        return replace(self, until=_LATEST).of(edit) != self.of(edit)

    def without(self, edit: Edit) -> Edit | None:
        """Return an item without the contact's share; None if nothing is left."""
        left = self._kept(edit, lambda is_theirs: not is_theirs)
        if left.customer_phone in self.contact.hashes and not self.has_more(edit):
            left = left.model_copy(update={"customer_phone": None, "created_at": None})
        changes = (left.versions, left.foreign_versions, left.revocations, left.reactions)
        return left if any(changes) or left.original or left.revoked_at else None

    def _kept(self, edit: Edit, keeps: Callable[[bool], bool]) -> Edit:
        def kept(changes: list[dict[str, Any]] | None) -> list[dict[str, Any]]:
            return [one for one in changes or [] if keeps(self.has(edit, one))]

        reactions = edit.reactions or {}
        revocation = {"at": edit.revoked_at or "", "author": edit.revoked_from or {}}
        last = (edit.revocations or [revocation])[-1]
        update: dict[str, Any] = {
            "versions": kept(edit.versions),
            "foreign_versions": kept(edit.foreign_versions) or None,
            "revocations": kept(edit.revocations) or None,
            "reactions": {
                name: one for name, one in reactions.items() if keeps(self._reacted(name, one))
            }
            or None,
        }
        if not keeps(self.has(edit, revocation)):
            update |= {"revoked_at": None, "revoked_by": None, "revoked_from": None}
        if not keeps(self.has(edit, last)):
            update |= {"other_fields": None, "content_s3_key": None}
        return edit.model_copy(update=update)

    def _reacted(self, name: str, reaction: _Change) -> bool:
        """Whether a reaction is the contact's, or the business's in its conversation."""
        actor = name.removesuffix(f"@{reaction.get('in')}")
        is_theirs = not {actor, reaction.get("in")}.isdisjoint(self.contact.keys)
        return is_theirs and str(reaction["order"]) <= ordering.order_key(self.until, "")


def remove(table: Table, share: Share, key: str) -> None:
    """Remove a contact's share of an EDIT item. Raises Transient after a concurrent write."""
    edit = message_reports.get_edit(table, key)
    if edit is None:
        return
    left = share.without(edit)
    if left is None:
        try:
            table.delete(pk(key), when=Edit.attr("revision").eq(edit.revision))
        except ConditionFailed:
            raise Transient("edit_contended") from None
    elif left != edit:
        message_reports.replace_edit(table, left.model_copy(update={"revision": edit.revision + 1}))
