"""Settings of one help-desk account."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from richpanel.guards.identity import normal_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from richpanel.classification.taxonomy import Team
    from richpanel.decisions.facts import Shop
    from richpanel.inbound.channels import Channel

type ReplyPath = Literal["send_message", "comment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """
    Settings of one help-desk account.

    *robots* are the ids of authors that are not human: ours, and the shop's own automations. *assignees* maps teams to
    the agent (or team id) to whom their tickets are assigned; a team without one is only tagged. *order_mask* is the
    format of the shop's order numbers (`richpanel.classification.Message`). *allowlist* holds HMACs of addresses.
    *signatures* of the brands, by the addresses that customers write to. *company* is the company, by its id
    in the conversations context, whose opt-outs apply; None if there are none. *only_rules*: no model classifies.
    *fields*: as they were written (`account_fields`). *fault* tells why the stored settings of the shop are not
    applied: no reply is sent then.
    """

    shop: Shop
    channels: Mapping[str, Channel]
    robots: frozenset[str] = frozenset()
    assignees: Mapping[Team, str] = field(default_factory=dict)
    reply_paths: Mapping[Channel, ReplyPath] = field(default_factory=dict)
    reply_is_html: bool = False
    order_mask: str | None = None
    own_addresses: frozenset[str] = frozenset()
    allowlist: frozenset[str] = frozenset()
    tag_ids: Mapping[str, str] | None = None
    trust_linked_order: bool = False
    signatures: Mapping[str, str] = field(default_factory=dict)
    company: str | None = None
    only_rules: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)
    fault: str | None = None

    def signature_for(self, recipient: str | None) -> str:
        """Return the signature of a reply to a message that was sent to *recipient*."""
        address = normal_address(recipient)
        return self.signatures.get(address or "", self.shop.support_signature)
