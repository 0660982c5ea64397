"""Numbers that exist in two spellings: each names the same customer, for every event and action."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, text
from whatsapp.store.items import Alias

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.conftest import Actions

# A mobile number of Brazil, Mexico, and Argentina, in its normal form and in the other one.
LINES = {
    "Brazil": ("5531987654321", "553187654321"),
    "Mexico": ("525512345678", "5215512345678"),
    "Argentina": ("5491123456789", "541123456789"),
}
PAIRS = [pair for line in LINES.values() for pair in itertools.permutations(line)]


def heads(actions: Actions) -> list[str]:
    """The conversations with these customers."""
    keys = actions.harness.keys()
    known = {number for line in LINES.values() for number in line}
    return [key for key in keys if key.startswith("CONV#") and key.rpartition("#")[2] in known]


def write(actions: Actions, number: str, name: str = "1") -> None:
    said = text(f"wamid.{number}.{name}", at=NOW // 1_000 - 60) | {"from": number}
    actions.harness.take({"messages": [said]})


@pytest.mark.parametrize(("wrote", "named"), PAIRS)
def test_an_answer_to_either_spelling_is_in_the_customers_conversation(
    actions: Actions, wrote: str, named: str
) -> None:
    write(actions, wrote)
    sent = actions.run("send_text", {"phoneNumberId": PHONE, "to": f"+{named}", "text": "Hi"})

    assert sent.status == 200
    assert heads(actions) == [sent.result["conversationPk"]]


@pytest.mark.parametrize(("named", "wrote"), PAIRS)
def test_a_customer_who_answers_under_the_other_spelling_is_the_same(
    actions: Actions, named: str, wrote: str
) -> None:
    body = {"contact": f"+{named}", "purpose": "all", "state": "opted_in", "evidence": "form 7"}
    assert actions.run("set_consent", body).status == 200
    write(actions, wrote)
    write(actions, named, "2")

    assert len(heads(actions)) == 1


@pytest.mark.parametrize(("opted_out", "named"), PAIRS)
def test_an_opt_out_under_one_spelling_holds_for_the_other(
    actions: Actions, opted_out: str, named: str
) -> None:
    write(actions, named)
    body = {"contact": f"+{opted_out}", "purpose": "all", "state": "opted_out", "evidence": "17"}
    assert actions.run("set_consent", body).status == 200
    answer = actions.run("send_text", {"phoneNumberId": PHONE, "to": f"+{named}", "text": "Hi"})

    assert answer.error == "policy_refused"


@pytest.mark.parametrize(("normal", "other"), LINES.values(), ids=list(LINES))
def test_a_contact_of_an_older_version_under_the_other_spelling_is_found(
    actions: Actions, normal: str, other: str
) -> None:
    write(actions, normal)
    table = actions.harness.resources.table
    (stored,) = (actions.item(key) for key in Alias.all_of_phone(PHONE, normal)[:1])
    table.delete({"pk": stored["pk"]})
    table.put(stored | {"pk": f"ALIAS#WAID#{PHONE}#{other}", "target": normal})
    for number in (other, normal):
        write(actions, number, "again")

    assert len(heads(actions)) == 1
    assert actions.item(Alias.of_phone(PHONE, normal)) == {}


@pytest.mark.parametrize(("wrote", "named"), PAIRS)
def test_messages_are_searched_under_either_spelling(
    actions: Actions, wrote: str, named: str
) -> None:
    said = text("wamid.searched", "a zebra", at=NOW // 1_000 - 60) | {"from": wrote}
    actions.harness.take({"messages": [said]})
    given = {"phoneId": PHONE, "fromNumber": f"+{named}", "query": "zebra"}
    found = actions.run("search_messages", given).result

    assert [message["id"] for message in found["messages"]] == ["wamid.searched"]


@pytest.mark.parametrize("purpose", ["all", "marketing"])
def test_a_number_with_its_country_code_is_never_read_as_a_national_one(
    actions: Actions, purpose: str
) -> None:
    actions.register(display_phone="5511900000000")
    body = {"to": "+14155552671", "purpose": purpose, "state": "opted_out", "evidence": "17"}

    assert actions.run("set_consent", body).status == 200
    read = actions.run("get_consent", {"to": "+14155552671"}).result["consents"]
    assert "opted_out" in [each.get("state") for each in read]


@pytest.mark.parametrize("sender", [{"phone": PHONE}, {}])
@pytest.mark.parametrize(("called", "named"), PAIRS)
def test_calls_are_listed_under_either_spelling(
    actions: Actions, called: str, named: str, sender: dict[str, str]
) -> None:
    event = {
        "id": "wacid.1", "from": called, "to": "15550783881", "event": "connect",
        "direction": "USER_INITIATED", "timestamp": str(NOW // 1_000 - 60),
    }  # fmt: skip
    actions.harness.take({"field": "calls", "calls": [event]})
    found = actions.run("get_call_logs", {"to": f"+{named}"} | sender).result

    assert [one["callId"] for one in found["calls"]] == ["wacid.1"]
