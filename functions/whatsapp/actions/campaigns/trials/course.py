"""
Runs the test of two templates: each is a campaign to its part of the audience, and the better one goes to the rest.

    begin      the rest waits (`scheduled`); the campaigns of both variants are made and read their audience
    look       when both are completed, at fixed times; the rule may find a winner
    decide     one write: the winner, and its template in the campaign to the rest, which reads its audience

A call or schedule that was killed leaves what the next run of the schedule finds: ids of the variants are made of the
test's, and a decision is one conditional write. Sends have the id of the test, so that a person who is in two parts,
such as after a merge of contacts, gets one message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from shared.runtime import clock
from whatsapp.actions.campaigns.progress import counters, job_events
from whatsapp.actions.campaigns.trials import significance
from whatsapp.actions.campaigns.trials.significance import LOOKS, Counted
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.sending.campaigns import AudienceOfCampaign, Campaign

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.store.items.sending.campaign_tests import CampaignTest, Variant

PARTS: Final[tuple[Literal["a", "b"], ...]] = ("a", "b")


def begin(table: Table, queue: StandardQueue, rest: Campaign) -> Campaign | None:
    """
    Begin the test of a campaign, or continue it after a pause; None if its state forbids it. Safe to repeat.

    Raises TooMany.
    """
    test = test_of(rest)
    records.open_(table, rest.campaign_id)
    if test.begun_at is None:
        test = test.model_copy(update={"begun_at": clock.to_text(clock.now_ms())})
    begun = records.change(
        table, rest.campaign_id, ["draft", "scheduled", "paused"], when_test=rest.test,
        status="scheduled", auto_start=None, pause_reason=None, stopped_at=None, test=test.as_stored(),
    )  # fmt: skip
    if begun is None:
        return None
    records.open_(table, rest.campaign_id)  # The schedule may have closed it before the change.
    for number in range(len(test.variants)):
        _send_variant(table, queue, begun, number)
    return begun


def look_after(table: Table, queue: StandardQueue, rest: Campaign, at_ms: int) -> bool:
    """
    Continue a test that has begun: make what is missing of its variants, and compare them when it is time. False if a
    person continues it.
    """
    test = test_of(rest)
    if rest.status != "scheduled" or test.waits_for_person:
        return False
    variants = [_send_variant(table, queue, rest, number) for number in range(len(test.variants))]
    if any(one.is_cancelled for one in variants):
        _note(table, rest, test, verdict="cancelled")
    elif any(one.is_all_invalid for one in variants):  # Such a campaign is never completed.
        _note(table, rest, test, verdict="too_few")
    elif all(one.status == "completed" and one.open_from > one.pages for one in variants):
        _compare(table, queue, rest, variants, at_ms)
    return True


def variants_of(table: Table, rest: Campaign) -> list[Campaign]:
    """
    Return the campaigns of both variants, none before the test begins. Makes those that a killed call has not made, so
    that a concurrent one makes none later.
    """
    if rest.test is None or rest.test.begun_at is None:
        return []
    return [_variant(table, rest, number) for number in range(len(rest.test.variants))]


def counted(table: Table, test: CampaignTest, variant: Campaign) -> Counted:
    """Return what the measure has counted of a variant so far."""
    hours = counters.hours_of(table, variant)
    sent = counters.refresh(table, variant).tallies.get("sent", 0)
    return Counted(sent, min(sent, sum(hour.counts.get(test.measure, 0) for hour in hours)))


def decide(
    table: Table, queue: StandardQueue, rest: Campaign, number: int, by: str | None
) -> Campaign | None:
    """
    Send a variant to the rest of the audience, if none was chosen; None after another decision or change.

    *by*: the person who decides, None for the rule. Safe to repeat with the same *rest*.
    """
    test, now = test_of(rest), clock.to_text(clock.now_ms())
    for every in range(len(test.variants)):  # The schedule makes none after the decision.
        _send_variant(table, queue, rest, every)
    chosen = test.variants[number]
    facts: dict[str, Any] = {"winner": PARTS[number], "decided_at": now, "decided_by": by}
    if by is None:
        facts["verdict"] = "significant"
    audience = _audience(rest).model_copy(update={"body_fields": chosen.body_fields})
    is_paused = rest.status == "paused"
    records.open_(table, rest.campaign_id)
    decided = records.change(
        table, rest.campaign_id, [rest.status], when_test=test,
        status="paused" if is_paused else "draft", auto_start=None if is_paused else True,
        test=test.model_copy(update=facts).as_stored(), audience=audience.as_stored(),
        template_name=chosen.template_name, language=chosen.language, category=chosen.category,
        components=chosen.components,
    )  # fmt: skip
    if decided is not None and not is_paused:
        records.open_(table, rest.campaign_id)
        job_events.enqueue_cut(table, queue, decided)
    return decided


def _compare(
    table: Table, queue: StandardQueue, rest: Campaign, variants: list[Campaign], at_ms: int
) -> None:
    test = test_of(rest)
    if test.observed_from is None:
        last = max(str(one.completed_at) for one in variants)
        _note(table, rest, test, observed_from=last)
        return
    every_ms = test.hours * clock.HOUR_MS // LOOKS
    due = min(LOOKS, (at_ms - clock.from_text(test.observed_from)) // every_ms)
    if due <= test.looks:
        return
    one, other = (counted(table, test, variant) for variant in variants)
    has_enough = min(one.sent, other.sent) >= test.minimum
    found = has_enough and significance.is_significant(one, other, test.confidence)
    if found and test.by_rule:
        decide(table, queue, rest, 0 if significance.better(one, other) else 1, by=None)
    elif found:
        _note(table, rest, test, looks=due, verdict="significant")
    elif due < LOOKS:
        _note(table, rest, test, looks=due)
    else:
        _note(table, rest, test, looks=due, verdict="not_significant" if has_enough else "too_few")


def _note(table: Table, rest: Campaign, test: CampaignTest, **facts: Any) -> None:  # noqa: ANN401 - values of any field
    """Store facts of a test, unless it was changed meanwhile: the schedule looks again."""
    records.change(
        table, rest.campaign_id, ["scheduled"], when_test=test,
        test=test.model_copy(update=facts).as_stored(),
    )  # fmt: skip


def _send_variant(table: Table, queue: StandardQueue, rest: Campaign, number: int) -> Campaign:
    """Return the campaign of a variant; make it, and let a job read its audience, if that is missing."""
    found = _variant(table, rest, number)
    if found.reads_audience and found.status == "draft":
        # Also of an earlier call, which may have been killed after it had made the campaign.
        records.open_(table, found.campaign_id)
        job_events.enqueue_cut(table, queue, found)
    return found


def _variant(table: Table, rest: Campaign, number: int) -> Campaign:
    """Return the campaign of a variant; make it if it is missing. Safe to repeat."""
    variant = test_of(rest).variants[number]
    found = records.get(table, variant.campaign_id)
    return found or records.add(table, _campaign_of(rest, variant, PARTS[number]))


def _campaign_of(rest: Campaign, variant: Variant, part: Literal["a", "b"]) -> Campaign:
    audience = AudienceOfCampaign(
        kind=_audience(rest).kind, id=_audience(rest).id, body_fields=variant.body_fields
    )
    return Campaign(
        pk=Campaign.key(variant.campaign_id),
        company=rest.company,
        campaign_id=variant.campaign_id,
        waba_meta_id=rest.waba_meta_id,
        name=f"{rest.name[:96]} · {part.upper()}",
        template_name=variant.template_name,
        status="draft",
        created_at=clock.to_text(clock.now_ms()),
        phone=rest.phone,
        created_by=rest.created_by,
        kind="template",
        language=variant.language,
        category=variant.category,
        components=variant.components,
        audience=audience,
        auto_start=True,
        lanes=rest.lanes,
        messages_per_second=rest.messages_per_second,
        test_of=rest.campaign_id,
        part=part,
        share=rest.share,
    )


def test_of(rest: Campaign) -> CampaignTest:
    """Return the test of the campaign that has one."""
    if rest.test is None:
        raise TypeError("the campaign has no test")
    return rest.test


def _audience(rest: Campaign) -> AudienceOfCampaign:
    if rest.audience is None:
        raise TypeError("the campaign has no audience")
    return rest.audience
