"""What becomes of a draft counts for the trial that it belongs to, for its version and the one in shadow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from email_threads.replies.outcomes.corrections import edits_of
from email_threads.store import threads
from email_threads.store.configuration.mailbox_trials import MailboxTrials
from shared.ai.trials.items import Arm, count_name

if TYPE_CHECKING:
    from email_threads.store.items import Draft, ShadowDraft
    from shared.aws.dynamodb import Attributes, Table


def of_sent(table: Table, draft: Draft, edits: int, words: int) -> list[Attributes]:
    """
    Return the write that counts a sent draft: the words that people changed, and those that the model had written. Of a
    draft that a person approved, the one in shadow is compared with what was sent.
    """
    if draft.trial is None or draft.arm is None:
        return []
    counts = _sent(Arm(draft.arm), edits, words)
    shadow = None if draft.is_automatic else _shadow_of(table, draft)
    if shadow is not None and shadow.text is not None:
        changed = edits_of(shadow.text, draft.body_text)
        counts += _sent(Arm.TRIAL, changed, len(shadow.text.split()))
    return [_write(table, draft, draft.trial, counts)]


def of_rejected(table: Table, draft: Draft, number: int = 1) -> list[Attributes]:
    """Return the write that counts a rejected draft of a model; with -1 it was restored."""
    if draft.trial is None or draft.arm is None:
        return []
    counts = Counter({count_name(Arm(draft.arm), "discarded"): number})
    return [_write(table, draft, draft.trial, counts)]


def _sent(arm: Arm, edits: int, words: int) -> Counter[str]:
    counts = {"sent": 1, "corrected": min(edits, 1), "edits": edits, "words": words}
    return Counter({count_name(arm, kind): n for kind, n in counts.items()})


def _shadow_of(table: Table, draft: Draft) -> ShadowDraft | None:
    """Return the draft in shadow to the mail that a draft answers."""
    mails = threads.mails(table, draft.thread, [draft.in_reply_to_n])
    found = next((one.shadow for one in mails if one.email_id == draft.email_id), None)
    is_compared = found is not None and found.trial_id == draft.trial and found.status == "made"
    return found if is_compared else None


def _write(table: Table, draft: Draft, trial_id: str, counts: Counter[str]) -> Attributes:
    stored = MailboxTrials(table, draft.company_id, draft.mailbox)
    return stored.counted(trial_id, draft.thread, counts)
