"""A finding of the checklist of an issue: its code, whether it blocks the start, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsletters.store.items.issues import Variant

type Level = Literal["blocks", "warning"]
# The console has a text for each of them, with the facts of the finding.
type CheckCode = Literal[
    "account_paused", "account_under_review", "audience_removed", "claims", "clicks_not_counted", "complaints",
    "daily_quota", "dmarc_missing", "dmarc_unknown", "empty_link", "image_unreadable", "image_without_text",
    "long_subject", "newsletter_changed", "no_preheader", "no_recipient", "no_unsubscribe_link", "not_aligned",
    "not_exported", "sandbox", "sender_not_owned", "sender_not_verified", "spf_not_aligned", "spf_unknown", "stale",
    "template_removed", "tenant_incomplete", "tenant_missing", "tenant_paused", "too_large",
    "unknown_placeholder", "warm_up",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """
    A finding: its code, its level and a sentence. *facts*: values of the sentence by name, for texts in other
    languages. *variant*: whose text it is about, None for the issue's own.
    """

    code: CheckCode
    level: Level
    problem: str
    facts: Mapping[str, str] = field(default_factory=dict)
    variant: Variant | None = None


def blocks(code: CheckCode, problem: str, **facts: str) -> Check:
    """Return a finding that blocks the start."""
    return Check(code, "blocks", problem, facts)


def warning(code: CheckCode, problem: str, **facts: str) -> Check:
    """Return a finding that a person may accept."""
    return Check(code, "warning", problem, facts)
