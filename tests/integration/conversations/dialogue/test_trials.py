"""A version on trial: in shadow it answers without sending, in a share it answers new conversations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from conversations.dialogue import shadow_request
from conversations.lifecycle import trials
from conversations.lifecycle.conversation import load_project
from conversations.store.annotations import memories
from conversations.store.items.parts.memory import Memory
from conversations.store.trials import Trials
from events.conversations import sample_data
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.ai.retrieval import CorpusTooLarge, RetrieverUnavailable
from shared.ai.retrieval.local import LocalRetriever
from shared.ai.spending import usage
from shared.aws.secrets import SecretUnreadable
from shared.aws.sqs_fifo import digest
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock
from tests.integration.conversations.booking import THANKS, start_booking
from tests.integration.conversations.dialogue.test_spending import limit, spent
from tests.integration.conversations.steps import (
    DAY_MS,
    OPENAI_SECRET_ID,
    direct_resources,
    function_call,
    model_answer,
    start_conversation,
    status_of,
    texts_by,
    with_model,
    write,
)
from tests.simulation.conversations.erasure import erase, exported
from tests.simulation.disturbances import deaths_in
from tests.template import template

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

OF_PROJECT = {"project_id": sample_data.PROJECT}
FIRST = model_answer("Hello Ann, can you start in May?")
LIVE = model_answer("You start at nine.")
TRIED = model_answer("At nine. See you then.")
PRICE = {"input": 1_000, "output": 2_000}  # dollars a million tokens
TRIALS = "POST /projects/{project_id}/trials"
TRIAL = "/projects/{project_id}/trials/{trial_id}"


def prompt(reply: str) -> dict[str, Any]:
    """The settings of a version that tells its model something else."""
    own = {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID, "price": PRICE}
    return {
        "ai_config": {
            "provider": "openai",
            "openai_config": dict.fromkeys(("whatsapp", "sms", "email"), own),
            "prompts": {"initial": "Invite.", "reply": reply},
        }
    }


def project(system: System, *texts: str) -> int:
    """Give the project a model and a second version, and return its number."""
    with_model(system, *texts, **prompt("Be brief and kind.")["ai_config"])
    return version(system, "Say TRIED.")


def version(system: System, reply: str, **more: Any) -> int:
    body = {"settings": prompt(reply) | more}
    line = "POST /projects/{project_id}/versions"
    return int(system.call_admin_api(line, body, **OF_PROJECT)["number"])


def begin(system: System, **given: Any) -> str:
    trial = system.call_admin_api(TRIALS, given, **OF_PROJECT)
    system.new_process()  # functions read settings again at most 30 seconds later
    return str(trial["trial_id"])


def outcomes(system: System, trial_id: str) -> dict[str, Any]:
    return system.call_admin_api(f"GET {TRIAL}", trial_id=trial_id, **OF_PROJECT)


def pairs(system: System, trial_id: str) -> list[dict[str, Any]]:
    found = system.call_admin_api(f"GET {TRIAL}/answers", trial_id=trial_id, **OF_PROJECT)
    answers: list[dict[str, Any]] = found["answers"]
    return answers


def shadow(system: System, **given: Any) -> tuple[str, str]:
    """A conversation whose first message was sent, and a trial in shadow."""
    number = project(system, FIRST)
    ref = start_conversation(system)
    return ref, begin(system, mode="shadow", version=number, **{"most_answers": 10, **given})


def shadow_of_booking(system: System) -> str:
    """A trial in shadow of a project whose model may book slots."""
    item = system.row("company", sample_data.COMPANY, sample_data.PROJECT) or {}
    own = item["ai_config"] | {"prompts": {"initial": "Invite.", "reply": "Say TRIED."}}
    line = "POST /projects/{project_id}/versions"
    number = system.call_admin_api(line, {"settings": {"ai_config": own}}, **OF_PROJECT)["number"]
    return begin(system, mode="shadow", version=number, most_answers=5)


def before_shadow(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let something happen after the live answer, before the version on trial reads the conversation."""
    begin_shadow = Trials.begin_shadow

    def acts_first(trials: Trials, *given: Any) -> bool | None:
        is_new = begin_shadow(trials, *given)
        act()
        return is_new

    monkeypatch.setattr(Trials, "begin_shadow", acts_first)


def add_messages(system: System, ref: str, text: str, count: int, *, after_ms: int) -> None:
    """Messages from a time on, in ms after the newest one, a second apart."""
    newest = system.log(ref)[-1]
    begin_ms = clock.from_text(str(newest["message_timestamp"])) + after_ms
    for number in range(count):
        at, name = clock.to_text(begin_ms + number * 1_000), f"{text.lower()}-{number}"
        one = {"sk": f"MSG#{at}#{name}", "message_timestamp": at, "entry_id": name}
        system.write("log", {**newest, **one, "content": f"{text} {number}."})


def says(system: System, *texts: str) -> None:
    for text in texts:
        system.sandbox.openai.answers.append(OpenAiAnswer(text=text))


def asked(system: System) -> list[str]:
    """What models were asked, in order."""
    return [str(one.body) for one in system.sandbox.sent if one.operation == "create_response"]


def test_a_version_in_shadow_answers_beside_the_live_one_and_nothing_of_it_is_sent(
    system: System,
) -> None:
    ref, trial_id = shadow(system)
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    assert texts_by(system, ref)[1:] == ["You start at nine."]
    assert len(system.sent()) == 2
    (pair,) = pairs(system, trial_id)
    assert (pair["customer_text"], pair["live_text"], pair["text"], pair["status"]) == (
        "When do I start?",
        "You start at nine.",
        "At nine. See you then.",
        "made",
    )
    found = outcomes(system, trial_id)
    assert (found["begun"], found["live"]["answers"], found["trial"]["answers"]) == (1, 1, 1)
    assert float(found["trial"]["dollars"]) > 0
    assert found["live"]["dollars"] == pair["live_dollars"]


def test_the_shadow_reads_the_conversation_as_the_live_turn_did_and_has_its_own_prompt(
    system: System,
) -> None:
    _, _ = shadow(system)
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    request = asked(system)[-1]
    assert "Say TRIED." in request
    assert "When do I start?" in request
    assert "You start at nine." not in request


def test_the_shadow_reads_as_many_messages_as_the_live_turn_though_many_came_since(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, _ = shadow(system)
    before_shadow(monkeypatch, lambda: add_messages(system, ref, "Later", 25, after_ms=60_000))
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    request = asked(system)[-1]
    assert "Say TRIED." in request
    assert "Hello Ann, can you start in May?" in request
    assert "When do I start?" in request
    assert "Later" not in request


@pytest.mark.parametrize("is_later", [False, True])
def test_the_shadow_reads_a_memory_only_if_it_has_no_later_message(
    system: System, monkeypatch: pytest.MonkeyPatch, *, is_later: bool
) -> None:
    system.change(memory={"summary": True})
    ref, _ = shadow(system)

    def remember() -> None:
        place = ("answered", "asked")[not is_later]
        shadows = [row for key, row in system.rows().items() if _is_answer(ref, key)]
        at = clock.to_text(clock.now_ms())
        known = Memory(summary="Ann wants nights.", up_to=shadows[0][place], by="ai", at=at)
        memories.write(direct_resources(system).log, ref, known, seen=None)

    before_shadow(monkeypatch, remember)
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    request = asked(system)[-1]
    assert "Say TRIED." in request
    assert ("Ann wants nights." in request) is not is_later


def test_the_shadow_reads_the_messages_that_the_memory_lacks_as_the_live_turn_does(
    system: System,
) -> None:
    system.change(memory={"summary": True})
    ref, _ = shadow(system)
    add_messages(system, ref, "Old", 60, after_ms=-60_000)
    says(system, LIVE, "no memory", "none again", TRIED)

    write(system, "When do I start?")

    live, *_, tried = asked(system)[-4:]
    assert "Say TRIED." in tried
    for request in (live, tried):
        assert "Old 13." not in request
        assert "Old 16." in request


def test_the_live_answer_is_sent_before_the_version_in_shadow_is_asked(system: System) -> None:
    shadow(system)
    says(system, LIVE, TRIED)

    write(system, "When do I start?")

    order = [one.operation for one in system.sandbox.sent]
    assert order[-3:] == ["create_response", "create_message", "create_response"]


def test_a_shadow_whose_model_fails_is_counted_and_not_asked_again(system: System) -> None:
    ref, trial_id = shadow(system)
    says(system, LIVE)
    refused = OpenAiAnswer(refused=(429, "insufficient_quota"))
    system.sandbox.openai.answers.append(refused)

    write(system)
    asked_once = asked(system)
    system.advance(DAY_MS)

    assert asked(system) == asked_once
    found = outcomes(system, trial_id)
    assert (found["begun"], found["failed"], found["trial"]["answers"]) == (1, 1, 0)
    assert pairs(system, trial_id)[0]["status"] == "failed"
    assert status_of(system, ref)[0] == "reply_sent"


def test_a_shadow_whose_worker_died_before_the_result_was_stored_is_counted_with_its_cost_and_not_asked_again(
    system: System,
) -> None:
    _, trial_id = shadow(system, most_answers=1)
    says(system, LIVE, TRIED)
    asked_before = len(asked(system))
    system.text("m", "When do I start?")

    runs: list[int] = []

    def fails_once(call: str) -> bool:
        """The first run that writes the result, in all attempts of the SDK: the shadow was asked by then."""
        is_result = call.startswith("dynamodb.TransactWriteItems")
        if not is_result or len(asked(system)) < asked_before + 2:
            return False
        runs.append(len(system.interceptor.first_of_runs))
        return runs[-1] == runs[0]

    system.interceptor.fails_if = fails_once
    system.drain()
    system.advance(DAY_MS)

    found, (pair,) = outcomes(system, trial_id), pairs(system, trial_id)
    assert (found["failed"], pair["reason"]) == (1, "interrupted")
    assert float(pair["dollars"]) > 0
    assert found["trial"]["dollars"] == pair["dollars"]
    assert len(asked(system)) == asked_before + 2


def test_the_function_of_a_project_is_not_called_for_a_shadow_which_gets_the_live_result(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, function_call("book_slot", day="Monday"), THANKS)
    trial_id = shadow_of_booking(system)
    says(system, function_call("book_slot", day="Monday"), model_answer("Booked. Bye."))

    write(system, "Monday is fine")

    assert booking_service.requests.qsize() == 1
    assert texts_by(system, ref)[-1] == "It is booked, thank you."
    (pair,) = pairs(system, trial_id)
    assert (pair["text"], pair["functions"], pair["not_called"]) == (
        "Booked. Bye.",
        ["book_slot"],
        [],
    )


def test_a_function_that_the_live_version_did_not_call_is_not_called_for_a_shadow(
    system: System, booking_service: Receiver
) -> None:
    start_booking(system, booking_service, model_answer("Which day suits you?"))
    trial_id = shadow_of_booking(system)
    says(system, function_call("book_slot", day="Monday"), model_answer("I could not book it."))

    write(system, "Monday is fine")

    assert booking_service.requests.empty()
    assert pairs(system, trial_id)[0]["not_called"] == ["book_slot"]


def test_a_trial_in_shadow_ends_at_its_number_of_answers(system: System) -> None:
    _, trial_id = shadow(system, most_answers=1)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")
    says(system, LIVE)

    write(system, "And on Monday?", "m-2")

    found = outcomes(system, trial_id)
    assert (found["begun"], found["running"], found["ended_for"]) == (1, False, "most_answers")


def test_a_trial_in_shadow_ends_at_its_dollars(system: System) -> None:
    _, trial_id = shadow(system, most_answers=None, most_dollars=0.001)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")
    says(system, LIVE)

    write(system, "And on Monday?", "m-2")

    found = outcomes(system, trial_id)
    assert (found["begun"], found["ended_for"]) == (1, "most_dollars")


def test_a_shadow_costs_as_much_of_the_budget_as_its_calls_and_leaves_the_last_part_to_customers(
    system: System,
) -> None:
    ref, trial_id = shadow(system)
    item = system.row("company", sample_data.COMPANY, sample_data.PROJECT) or {}
    system.change(policy=item.get("policy", {}) | {"dollars_per_day": 2, "warn_at_percent": 10})
    says(system, LIVE)

    write(system, "When do I start?")

    assert texts_by(system, ref)[-1] == "You start at nine."
    assert pairs(system, trial_id)[0]["reason"] == "token_cap"


def test_hand_offs_of_both_versions_are_counted_side_by_side(system: System) -> None:
    _, trial_id = shadow(system)
    says(system, LIVE, model_answer("", hand_off={"reason": "I do not know."}))

    write(system, "When do I start?")

    found = outcomes(system, trial_id)
    assert (found["live"]["handed_off"], found["trial"]["handed_off"]) == (0, 1)
    assert pairs(system, trial_id)[0]["handed_off_for"] == "ai"


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (RetrieverUnavailable("SlowDown"), "documents_unavailable"),
        (CorpusTooLarge(), "corpus_too_large"),
        (SecretUnreadable("openai"), "secrets_missing"),  # of a second model
        (Misconfigured("no_model"), "no_model"),
        (NotSent("no_token"), "no_token"),
    ],
)
def test_a_shadow_that_cannot_go_on_has_failed_with_its_cost_and_hands_nothing_off(
    system: System, monkeypatch: pytest.MonkeyPatch, failure: Exception, reason: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(LocalRetriever, "retrieve", fails)
    project(system, FIRST)
    start_conversation(system)
    number = version(system, "Say TRIED.", knowledge_config={"enabled": True})
    trial_id = begin(system, mode="shadow", version=number, most_answers=10)
    says(system, LIVE, function_call("search_documents", query="shift hours"))

    write(system, "When do I start?")

    found = outcomes(system, trial_id)
    assert (found["failed"], found["trial"]["answers"], found["trial"]["handed_off"]) == (1, 0, 0)
    assert float(found["trial"]["dollars"]) > 0
    (pair,) = pairs(system, trial_id)
    assert (pair["status"], pair["reason"], pair.get("handed_off_for")) == ("failed", reason, None)


def test_an_opt_out_by_a_version_in_shadow_is_counted_as_one_and_not_as_a_hand_off(
    system: System,
) -> None:
    _, trial_id = shadow(system)
    says(system, LIVE, function_call("opt_out"))

    write(system, "Bitte keine Nachrichten mehr")

    found = outcomes(system, trial_id)["trial"]
    assert (found["answers"], found["opted_out"], found["handed_off"]) == (1, 1, 0)
    assert pairs(system, trial_id)[0]["functions"] == ["opt_out"]


def test_a_person_who_is_erased_has_no_answer_of_a_trial_any_more(system: System) -> None:
    ref, trial_id = shadow(system)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")

    erase(system)

    assert pairs(system, trial_id) == []
    assert not [
        row for key, row in system.rows().items() if "SHADOW#" in key[2] or row.get("ref") == ref
    ]


def test_the_export_of_a_person_has_the_answer_in_shadow(system: System) -> None:
    shadow(system)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")

    lines, _ = exported(system)

    assert "At nine. See you then." in str(lines)


def test_another_live_version_ends_the_trial(system: System) -> None:
    _, trial_id = shadow(system)
    other = version(system, "Be formal.")
    line = "POST /projects/{project_id}/versions/{number}/live"
    system.call_admin_api(line, {}, number=str(other), **OF_PROJECT)

    assert outcomes(system, trial_id)["ended_for"] == "live_changed"


def test_a_project_without_a_trial_makes_the_calls_that_it_made_before(system: System) -> None:
    project(system, FIRST, LIVE)
    start_conversation(system)
    first = len(system.interceptor.calls)

    write(system, "When do I start?")

    calls = system.interceptor.calls[first:]
    assert calls
    assert not [call for call in calls if "TRIAL" in call or "PROJECT#" in call]


@pytest.mark.long
def test_a_worker_that_dies_at_any_call_sends_one_answer_and_asks_the_version_on_trial_at_most_once(
    system: System,
) -> None:
    ref, trial_id = shadow(system)
    says(system, *[LIVE] * 4)
    system.text("m", "When do I start?")
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.settle()

    for death in deaths_in(system.interceptor):
        system.restore(start)
        system.interceptor.die_at = death
        system.settle()
        assert len(texts_by(system, ref)) <= 2, death  # A send in doubt is not repeated.
        assert len([one for one in asked(system) if "Say TRIED." in one]) <= 1, death
        made = [row["status"] for key, row in system.rows().items() if _is_answer(ref, key)]
        found = outcomes(system, trial_id)
        assert found["begun"] == len(made) <= 1, death
        assert found["failed"] + found["trial"]["answers"] == len(made), death
        assert "begun" not in made, death


def _is_answer(ref: str, key: tuple[str, ...]) -> bool:
    return key[1] == f"CONV#{ref}" and key[2].startswith("SHADOW#")


def test_an_answer_in_shadow_counts_for_the_limit_of_the_company_and_leaves_the_rest_to_customers(
    system: System,
) -> None:
    ref, trial_id = shadow(system)
    table = limit(system, 1_000_000_000)
    says(system, LIVE, TRIED)
    write(system, "When do I start?")
    both = spent(system, table)
    usage.set_ceilings(table, sample_data.COMPANY, {"warn_percent": 1}, by="a person")
    limit(system, 60 * both)
    says(system, LIVE)

    system.text("m2", "And when do I end?")
    system.drain()

    first, second = sorted(pairs(system, trial_id), key=lambda one: str(one["customer_text"]))
    assert (first["customer_text"], first["reason"]) == ("And when do I end?", "spending_limit")
    assert second["status"] == "made"
    assert texts_by(system, ref)[1:] == ["You start at nine.", "You start at nine."]


def named(system: System) -> str | None:
    """The trial that the project names."""
    item = system.row("company", sample_data.COMPANY, sample_data.PROJECT) or {}
    return item.get("ai_trial")


def test_a_project_names_no_trial_any_more_once_a_worker_has_ended_it(system: System) -> None:
    ref, trial_id = shadow(system, most_answers=1)
    says(system, LIVE, TRIED, LIVE)
    write(system, "When do I start?")
    assert named(system) == trial_id

    write(system, "And when do I end?", "m2")

    assert named(system) is None
    assert outcomes(system, trial_id)["ended_for"] == "most_answers"
    assert len(texts_by(system, ref)) == 3
    assert begin(system, mode="shadow", version=2, most_answers=2) == named(system)


def test_a_trial_whose_name_could_not_be_removed_is_put_away_by_the_next_answer(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, trial_id = shadow(system, most_answers=1)
    says(system, LIVE, TRIED, LIVE, LIVE)
    write(system, "When do I start?")
    with monkeypatch.context() as patch:
        patch.setattr("conversations.lifecycle.trials.projects.key", _fails)
        write(system, "And when do I end?", "m2")
    assert named(system) == trial_id

    write(system, "And where?", "m3")

    assert named(system) is None
    assert len(texts_by(system, ref)) == 4


def _fails(*_: object) -> None:
    raise ClientError({"Error": {"Code": "ThrottlingException"}}, "UpdateItem")


def test_a_trial_that_begins_while_another_ends_is_not_put_away(system: System) -> None:
    _, trial_id = shadow(system, most_answers=1)
    company = load_project(direct_resources(system), sample_data.COMPANY, sample_data.PROJECT)
    assert company is not None
    other = company.model_copy(update={"ai_trial": "another"})

    trials.put_away(direct_resources(system).companies, other, "another")
    trials.put_away(direct_resources(system).companies, company, "another")

    assert named(system) == trial_id


def test_a_shadow_that_is_being_written_holds_up_neither_an_answer_nor_a_first_message(
    system: System,
) -> None:
    ref, _ = shadow(system)
    says(system, LIVE, LIVE, FIRST)
    system.text("m1", "When do I start?")
    system.run_intake()
    system.clock.ms += 10_000  # the customer writes no more
    system.run_replies()

    [held] = system.shadows_in_flight()

    assert (held.group, json.loads(held.body)["type"]) == (shadow_request.GROUP, "shadow")
    write(system, "And when do I end?", "m2")
    assert texts_by(system, ref)[1:] == ["You start at nine.", "You start at nine."]
    other = start_conversation(system, request_id="another")
    assert len(texts_by(system, other)) == 1


def test_a_channel_has_a_worker_beside_the_one_that_the_shadows_of_all_companies_take() -> None:
    assert template()["Parameters"]["ChannelMaxConcurrency"]["MinValue"] >= 2
    assert digest("shadow") == shadow_request.GROUP  # no part of it is a company
