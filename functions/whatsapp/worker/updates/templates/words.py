"""
The values that providers report about templates, in webhooks and in answers: status, category, quality.

Unknown values are counted. (Meta, "Webhooks reference": message_template_status_update and related fields.)
"""

from collections.abc import Mapping
from typing import Any, get_args

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp.store.items.accounts.templates import Rating, TemplateCategory
from whatsapp.worker.updates.moments import Moment

# The provider's value -> the contract's. Meta: REINSTATED is "no longer flagged or disabled and can be sent again",
# FLAGGED "at risk of being disabled" and still sent. LOCKED and UNLOCKED are about editing: no status.
STATUSES: Mapping[str, str] = {
    "APPROVED": "APPROVED",
    "FLAGGED": "APPROVED",
    "REINSTATED": "APPROVED",
    "PENDING": "PENDING",
    "IN_APPEAL": "PENDING",
    "REJECTED": "REJECTED",
    "PAUSED": "PAUSED",
    "DISABLED": "DISABLED",
    "PENDING_DELETION": "DISABLED",
    "DELETED": "DISABLED",
    "ARCHIVED": "DISABLED",
    "LIMIT_EXCEEDED": "DISABLED",
}
DELETED = "DELETED"
KEPT_SECONDS = 30 * clock.DAY_SECONDS  # a deleted template
LONGEST_WORD = 100
_CATEGORIES = frozenset(get_args(TemplateCategory.__value__))
_RATINGS = frozenset(get_args(Rating.__value__))
_NOT_RATED_YET = "UNKNOWN"  # a value listed by Meta, for a template with few sends
_LONGEST_REASON = 1_000

# Facts under the field names of TEMPLATE_META, by group: each group has its own order. None: absent now.
type Groups = dict[str, dict[str, Any]]


def of_status(payload: Mapping[str, Any], moment: Moment) -> Groups:
    """Return the status and the category of a status event."""
    word = word_of(payload.get("event"))
    groups = _category(payload.get("message_template_category"), moment)
    if not word:
        return groups
    groups["status_raw"] = {"status_raw": word}
    if word not in STATUSES:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
        return groups
    reason = str(payload.get("reason") or "")[:_LONGEST_REASON]
    groups["status"] = {
        "status": STATUSES[word],
        "status_at": moment.at,
        "reason": reason if reason not in {"", "NONE"} else None,
        "ttl": clock.expires_in(KEPT_SECONDS) if word == DELETED else None,
    }
    return groups


def of_category(payload: Mapping[str, Any], moment: Moment) -> Groups:
    """Return the category of a category event."""
    # Before a change takes effect (`correct_category` names the new one) this is still the current category.
    return _category(payload.get("new_category"), moment)


def of_quality(payload: Mapping[str, Any], moment: Moment) -> Groups:
    """Return the quality of a quality event."""
    word = word_of(payload.get("new_quality_score"))
    if not word:
        return {}
    if word not in _RATINGS and word != _NOT_RATED_YET:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
    rating = word if word in _RATINGS else None
    return {"quality": {"quality_score": rating, "quality_at": moment.at}}


def of_listed(template: Mapping[str, Any], moment: Moment) -> Groups:
    """Return the status, category and quality of a template as the providers list it."""
    status = {
        "event": template.get("status"),
        "reason": template.get("rejected_reason"),
        "message_template_category": template.get("category"),
    }
    quality = {"new_quality_score": score_of(template)}
    return of_status(status, moment) | of_quality(quality, moment)


def score_of(template: Mapping[str, Any]) -> str:
    """Return the quality of a template as the providers list it; empty if they report none."""
    score = template.get("quality_score")
    return word_of(score.get("score") if isinstance(score, dict) else score)


def word_of(value: object) -> str:
    """Return a value of the provider, cut to its bound; empty if it is no text."""
    return value[:LONGEST_WORD] if isinstance(value, str) else ""


def _category(value: object, moment: Moment) -> Groups:
    word = word_of(value)
    if word in _CATEGORIES:
        return {"category": {"category": word, "category_at": moment.at}}
    if word:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
    return {}
