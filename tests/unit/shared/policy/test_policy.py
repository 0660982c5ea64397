"""Whether a message may be sent now: one decision, in the order of DESIGN.md section 4."""

from dataclasses import replace
from datetime import datetime, time
from itertools import product
from zoneinfo import ZoneInfo

import pytest

from shared.policy.decision import decide
from shared.policy.facts import (
    Allowed,
    Author,
    Decision,
    Facts,
    Kind,
    Later,
    Reason,
    Refused,
    Switches,
    TemplateOnly,
)
from shared.policy.limits import WHATSAPP_PAIR, FrequencyLimits
from shared.policy.quiet_hours import QuietHours
from shared.runtime import clock
from tests.cases import each

LONDON, SYDNEY, BERLIN = map(ZoneInfo, ("Europe/London", "Australia/Sydney", "Europe/Berlin"))
NOON = round(datetime.fromisoformat("2026-03-02T12:00:00+00:00").timestamp() * 1_000)
NIGHT = round(datetime.fromisoformat("2026-03-02T22:00:00+00:00").timestamp() * 1_000)
MORNING = round(datetime.fromisoformat("2026-03-03T08:00:00+00:00").timestamp() * 1_000)
MINUTE = 60_000
HOUR = 60 * MINUTE
OPEN = Switches(
    safe_mode=False,
    automation=True,
    project_is_active=True,
    channel_is_allowed=True,
    begins_conversations=True,
)


def facts(**change: object) -> Facts:
    """An AI's answer over WhatsApp at noon, one minute after the customer's message."""
    usual = Facts(
        kind=Kind.ANSWER,
        author=Author.AI,
        channel="whatsapp",
        now=NOON,
        requested_at=NOON,
        switches=OPEN,
        is_opted_out=False,
        has_consent=True,
        last_inbound_at=NOON - MINUTE,
        quiet_hours=QuietHours(),
        zones=(LONDON,),
        project_zone=LONDON,
    )
    return replace(usual, **change)  # type: ignore[arg-type]  # each test names fields with values of their types


def first(**change: object) -> Facts:
    """A first message of the AI, a template over WhatsApp, at noon."""
    return facts(**{"kind": Kind.FIRST, "is_template": True, "last_inbound_at": None} | change)


def test_a_message_without_objections_is_allowed() -> None:
    assert decide(facts()) == decide(first()) == Allowed()


# switches


def test_an_unreadable_switch_is_off() -> None:
    assert decide(facts(switches=Switches())) == Refused(Reason.SAFE_MODE)
    assert decide(facts(switches=replace(Switches(), safe_mode=False))) == Refused(
        Reason.PROJECT_INACTIVE
    )


@each(
    ("kind", "author"),
    list(product([Kind.REENGAGEMENT, Kind.ANSWER, Kind.OPT_OUT_CONFIRMATION], Author)),
    ids=str,
)
def test_safe_mode_stops_every_send(kind: Kind, author: Author) -> None:
    closed = replace(OPEN, safe_mode=True)

    assert decide(facts(kind=kind, author=author, switches=closed)) == Refused(Reason.SAFE_MODE)


def test_first_messages_wait_a_day_for_the_end_of_safe_mode() -> None:
    closed = replace(OPEN, safe_mode=True)

    waiting = decide(first(switches=closed, requested_at=NOON - 24 * HOUR + 1))
    given_up = decide(first(switches=closed, requested_at=NOON - 24 * HOUR))

    assert waiting == Later(Reason.SAFE_MODE, NOON + 15 * MINUTE)
    assert given_up == Refused(Reason.SAFE_MODE)


def test_automation_off_stops_only_the_ai() -> None:
    off = replace(OPEN, automation=False)

    assert (
        decide(facts(switches=off)) == decide(first(switches=off)) == Refused(Reason.AUTOMATION_OFF)
    )
    assert decide(facts(switches=off, author=Author.PERSON)) == Allowed()
    assert decide(facts(switches=off, author=Author.RULE)) == Allowed()


def test_a_project_or_channel_that_is_off_sends_nothing() -> None:
    for author in Author:
        inactive = facts(author=author, switches=replace(OPEN, project_is_active=False))
        not_allowed = facts(author=author, switches=replace(OPEN, channel_is_allowed=False))

        assert decide(inactive) == Refused(Reason.PROJECT_INACTIVE)
        assert decide(not_allowed) == Refused(Reason.CHANNEL_NOT_ALLOWED)


# consent


@each(
    ("kind", "author"), list(product([Kind.FIRST, Kind.REENGAGEMENT, Kind.ANSWER], Author)), ids=str
)
def test_an_opt_out_stops_every_sender(kind: Kind, author: Author) -> None:
    assert decide(facts(kind=kind, author=author, is_opted_out=True)) == Refused(Reason.OPTED_OUT)


def test_the_confirmation_of_an_opt_out_is_the_only_message_that_passes_it() -> None:
    confirmation = facts(kind=Kind.OPT_OUT_CONFIRMATION, author=Author.RULE, is_opted_out=True)

    assert decide(confirmation) == decide(replace(confirmation, has_consent=False)) == Allowed()


def test_a_business_initiated_message_of_any_author_needs_consent() -> None:
    for kind, author in product([Kind.FIRST, Kind.REENGAGEMENT], Author):
        assert decide(first(kind=kind, author=author, has_consent=False)) == Refused(
            Reason.NO_CONSENT
        )


def test_a_customer_who_wrote_may_be_answered_without_further_consent() -> None:
    assert decide(facts(has_consent=False)) == Allowed()
    assert decide(facts(has_consent=False, last_inbound_at=None)) == Refused(Reason.NO_CONSENT)


# window


@pytest.mark.parametrize(
    ("age", "decision"),
    [(24 * HOUR - MINUTE - 1, Allowed()), (24 * HOUR - MINUTE, TemplateOnly())],
)
def test_in_the_last_minute_of_the_window_only_templates_are_allowed(
    age: int, decision: Decision
) -> None:
    answer = facts(last_inbound_at=NOON - age)

    assert decide(answer) == decide(replace(answer, author=Author.PERSON)) == decision
    assert decide(replace(answer, is_template=True)) == Allowed()
    assert decide(replace(answer, channel="sms")) == decide(replace(answer, channel="email")) == Allowed()  # fmt: skip


def test_a_customer_who_never_wrote_gets_only_templates() -> None:
    assert decide(first(is_template=False)) == TemplateOnly()


# quiet hours


@each("channel", ["whatsapp", "sms"])
@each("author", list(Author))
@each("kind", [Kind.FIRST, Kind.REENGAGEMENT])
def test_a_business_initiated_message_waits_until_quiet_hours_end(
    kind: Kind, author: Author, channel: str
) -> None:
    late = first(kind=kind, author=author, channel=channel, now=NIGHT)

    assert decide(late) == Later(Reason.QUIET_HOURS, MORNING)


def test_quiet_hours_do_not_apply_to_email() -> None:
    assert decide(first(channel="email", now=NIGHT)) == Allowed()


def test_a_project_without_quiet_hours_has_none() -> None:
    assert decide(first(quiet_hours=None, now=NIGHT)) == Allowed()


@pytest.mark.parametrize(
    ("age", "decision"),
    [(30 * MINUTE - 1, Allowed()), (30 * MINUTE, Later(Reason.QUIET_HOURS, MORNING))],
)
def test_quiet_hours_do_not_apply_within_half_an_hour_of_a_customers_message(
    age: int, decision: Decision
) -> None:
    assert decide(facts(now=NIGHT, last_inbound_at=NIGHT - age)) == decision


def test_agents_may_answer_at_any_hour() -> None:
    answer = facts(now=NIGHT, last_inbound_at=NIGHT - 5 * HOUR, author=Author.PERSON)

    assert decide(answer) == Allowed()


def test_quiet_hours_apply_in_each_possible_time_zone_of_the_recipient() -> None:
    # Noon in London is 23:00 in Sydney, where it is 08:00 at 21:00 UTC, when it is 21:00 in London.
    sydney = first(zones=(SYDNEY,))

    assert decide(sydney) == Later(Reason.QUIET_HOURS, NOON + 9 * HOUR)
    assert decide(first(zones=(LONDON, BERLIN))) == Allowed()


def test_if_the_recipients_zone_is_unknown_the_projects_zone_applies() -> None:
    assert decide(first(zones=(), project_zone=SYDNEY)) == Later(
        Reason.QUIET_HOURS, NOON + 9 * HOUR
    )


def test_if_zones_have_no_common_hour_the_projects_zone_applies() -> None:
    russia = (ZoneInfo("Europe/Kaliningrad"), ZoneInfo("Asia/Kamchatka"))
    office = QuietHours(time(17), time(11))

    assert decide(first(zones=russia, quiet_hours=office)) == Allowed()
    assert decide(first(zones=russia, quiet_hours=office, now=NIGHT)) == Later(
        Reason.QUIET_HOURS, MORNING + 3 * HOUR
    )


# rates and caps


def test_a_send_waits_for_the_rate_of_the_number() -> None:
    busy = NOON + 6_000

    assert decide(facts(rate_free_at=busy)) == Later(Reason.RATE_LIMITED, busy)
    assert decide(facts(rate_free_at=busy, author=Author.PERSON)) == Later(
        Reason.RATE_LIMITED, busy
    )
    assert decide(facts(rate_free_at=NOON)) == Allowed()


def test_a_business_initiated_message_waits_until_the_cap_allows_it() -> None:
    room = NOON + HOUR

    assert decide(first(cap_free_at=room)) == Later(Reason.FREQUENCY_CAP, room)
    assert decide(first(cap_free_at=room, author=Author.PERSON)) == Later(
        Reason.FREQUENCY_CAP, room
    )


def test_a_limit_of_zero_refuses_business_initiated_messages_and_no_answers() -> None:
    none = replace(OPEN, begins_conversations=False)

    assert decide(first(switches=none)) == Refused(Reason.FREQUENCY_CAP)
    assert decide(first(switches=none, now=NIGHT)) == Refused(Reason.FREQUENCY_CAP)
    assert decide(first(switches=none, author=Author.PERSON)) == Refused(Reason.FREQUENCY_CAP)
    assert decide(facts(switches=none)) == Allowed()


def test_the_rate_limit_of_answers_stops_the_ai_and_not_agents() -> None:
    assert decide(facts(cap_free_at=NOON + HOUR)) == Refused(Reason.LOOP_CAP)
    assert decide(facts(cap_free_at=NOON + HOUR, author=Author.PERSON)) == Allowed()


def test_the_ai_is_stopped_when_its_token_budget_is_spent() -> None:
    assert decide(facts(tokens_left=False)) == Refused(Reason.TOKEN_CAP)
    assert decide(facts(tokens_left=False, author=Author.RULE)) == Allowed()


def test_the_first_objection_in_order_is_the_reason() -> None:
    """All conditions are violated at first; each step fixes the one that the previous refusal named."""
    wrong = first(
        switches=Switches(),
        requested_at=0,
        is_opted_out=True,
        has_consent=False,
        is_template=False,
        now=NIGHT,
        rate_free_at=MORNING,
        cap_free_at=MORNING,
        tokens_left=False,
    )
    mended: list[dict[str, object]] = [
        {},
        {"switches": replace(OPEN, automation=False)},
        {"switches": OPEN},
        {"is_opted_out": False},
        {"has_consent": True},
        {"is_template": True},
        {"quiet_hours": None},
        {"rate_free_at": None},
        {"cap_free_at": None},
        {"tokens_left": True},
    ]

    reasons = []
    for step in mended:
        wrong = replace(wrong, **step)  # type: ignore[arg-type]  # as in `facts`
        reasons.append(decide(wrong).reason)

    assert reasons == [
        "safe_mode",
        "automation_off",
        "opted_out",
        "no_consent",
        "window_closed",
        "quiet_hours",
        "rate_limited",
        "frequency_cap",
        "token_cap",
        None,
    ]


def test_caps_have_the_values_of_the_specification_unless_configured() -> None:
    def numbers(kind: Kind, author: Author, channel: str) -> list[tuple[int, int]]:
        limits = FrequencyLimits().of(kind, author, channel)  # type: ignore[arg-type]  # a channel's name
        return [(limit.most, limit.within_seconds) for limit in limits]

    day, hour = clock.DAY_SECONDS, 3_600
    begun = [(2, day), (5, 7 * day)]
    assert numbers(Kind.FIRST, Author.AI, "sms") == begun
    assert numbers(Kind.REENGAGEMENT, Author.PERSON, "whatsapp") == begun
    assert numbers(Kind.ANSWER, Author.AI, "whatsapp") == [(20, hour), (60, day)]
    assert numbers(Kind.ANSWER, Author.AI, "sms") == [(20, hour), (60, day)]
    assert numbers(Kind.ANSWER, Author.AI, "email") == [(5, hour), (20, day)]
    assert numbers(Kind.ANSWER, Author.PERSON, "sms") == []


def test_a_whatsapp_pair_sends_one_message_in_six_seconds_after_a_burst_of_five() -> None:
    assert (WHATSAPP_PAIR.every_ms, WHATSAPP_PAIR.burst) == (6_000, 5)
