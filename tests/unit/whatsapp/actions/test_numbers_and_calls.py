"""What actions of numbers, groups and calls send to the providers: pure functions, for any input."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from shared.aws.tables.rate_limits.limit import Rate
from tests.integration.whatsapp.conftest import a_phone
from whatsapp.actions.accounts.numbers import automation
from whatsapp.actions.accounts.numbers.profiles import profiles
from whatsapp.actions.accounts.numbers.reports import of_graph as report_of
from whatsapp.actions.groups_and_calls import call_control, call_links, call_settings, calls
from whatsapp.actions.groups_and_calls.call_permissions import of_aws, of_graph
from whatsapp.sending import gate
from whatsapp.store.items import Conversation
from whatsapp.store.items.conversations.groups import Call

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=80)
DIGITS = st.from_regex(r"[1-9][0-9]{6,14}", fullmatch=True)
TIMES = st.fixed_dictionaries(
    {"hours": st.integers(0, 23), "minutes": st.integers(0, 59)},
)
DAYS = st.sampled_from(["MONDAY", "FRIDAY", "SUNDAY"])
HOURS = st.fixed_dictionaries(
    {
        "enabled": st.booleans(),
        "timezone": st.sampled_from(["UTC", "Europe/London"]),
        "weeklyOperatingHours": st.lists(
            st.fixed_dictionaries({"dayOfWeek": DAYS, "openTime": TIMES, "closeTime": TIMES}),
            max_size=14,
        ),
        "holidaySchedule": st.lists(
            st.fixed_dictionaries(
                {"date": st.just("2026-12-25"), "startTime": TIMES, "endTime": TIMES}
            ),
            max_size=3,
        ),
    }
)
SETTINGS = st.fixed_dictionaries(
    {"callEnabled": st.booleans()},
    optional={
        "callIconVisibility": st.sampled_from(["DEFAULT", "DISABLE_ALL"]),
        "callbackPermissionStatus": st.sampled_from(["ENABLED", "DISABLED"]),
        "callHours": HOURS,
    },
)


@given(SETTINGS)
def test_call_settings_are_the_same_after_graph_has_returned_them(settings: dict[str, Any]) -> None:
    read = call_settings.CallSettings.model_validate(settings)
    wanted = call_settings.as_json(read)

    assert call_settings.from_graph(call_settings.to_graph(wanted)) == wanted


@given(DIGITS, TEXTS)
def test_a_call_names_its_customer_and_has_the_session(digits: str, sdp: str) -> None:
    body: dict[str, Any] = {
        "phoneNumberId": "106540352242922",
        "to": f"+{digits}",
        "session": {"sdpType": "offer", "sdp": sdp},
    }
    asked = calls.InitiateCall.model_validate(body)
    head = Conversation(pk=f"CONV#1#{digits}", company="acme", phone="1", from_=digits)
    sent = calls.connect_of(asked, head.model_copy(update={"sender_phone": digits}))

    assert sent == {
        "messaging_product": "whatsapp",
        "to": f"+{digits}",
        "action": "connect",
        "session": {"sdp_type": "offer", "sdp": sdp},
    }


@given(DIGITS, st.sampled_from(["pre_accept", "accept", "reject", "terminate"]))
def test_a_control_names_the_call_and_all_but_an_end_the_customer(digits: str, action: str) -> None:
    stored = Call(
        pk="CALL#c", company="acme", call_id="c", waba_meta_id="1", from_=digits,
        status="initiated", started_at="t", received_at="t", phone="1",
        call_direction="USER_INITIATED", status_rank=1,
    )  # fmt: skip
    sent = call_control.control_of(stored, action, None)

    assert (sent["call_id"], sent["action"]) == ("c", action)
    assert sent.get("to") == (None if action == "terminate" else f"+{digits}")


@given(DIGITS, TEXTS)
def test_a_chat_link_gives_back_its_text(digits: str, text: str) -> None:
    link = urlsplit(call_links.link_to(digits, "chat", text))

    assert (link.netloc, link.path) == ("wa.me", f"/{digits}")
    assert parse_qs(link.query, keep_blank_values=True) == {"text": [text]}


@given(st.lists(TEXTS, max_size=4), st.booleans())
def test_greetings_leave_out_what_is_not_given(prompts: list[str], is_welcomed: bool) -> None:
    plain = [prompt for prompt in prompts if prompt.isascii()]
    body: dict[str, Any] = {
        "phoneNumberId": "106540352242922",
        "prompts": plain,
        "enableWelcomeMessage": is_welcomed,
    }
    sent = automation.body_of(automation.SetAutomation.model_validate(body))

    assert sent == {"prompts": plain, "enable_welcome_message": is_welcomed}


@given(st.integers(1, 1_000))
def test_a_pace_is_never_above_what_was_set(pace: int) -> None:
    rate = gate.rate_of(a_phone(messages_per_second=pace))

    assert rate.every_ms * pace >= 1_000
    assert 1 <= rate.burst <= max(1, pace // 2)


def test_a_number_without_a_pace_has_that_of_the_lowest_level() -> None:
    assert gate.rate_of(a_phone()) == gate.NUMBER == Rate(every_ms=14, burst=36)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "quality_rating": JSON,
            "throughput": JSON,
            "verified_name": JSON,
            "health_status": JSON,
        },
    )
)
def test_an_odd_report_of_a_number_is_no_error(answer: dict[str, Any]) -> None:
    report = report_of(answer)

    assert report.rating is None or isinstance(report.rating, str)


@given(JSON)
def test_an_odd_profile_is_empty_or_an_object(data: Any) -> None:
    assert isinstance(profiles.entry_of({"data": data}), dict)


def test_permissions_of_both_providers_read_the_same() -> None:
    limit = {"time_period": "24h", "current_usage": 1, "max_allowed": 5}
    graph = of_graph(
        {
            "permission": {"status": "granted"},
            "actions": [
                {"action_name": "start_call", "can_perform_action": True, "limits": [limit]}
            ],
        }
    )
    aws_limit = {"timePeriod": "24h", "currentUsage": 1, "maxAllowed": 5}
    aws = of_aws(
        {
            "permission": {"status": "granted"},
            "actions": [
                {"actionName": "start_call", "canPerformAction": True, "limits": [aws_limit]}
            ],
        }
    )

    assert graph == aws
    assert graph.can_call
