"""`python -m operations phones`: the list of numbers when it is full, after a crash, and under concurrent writes."""

from typing import Any

import pytest

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from tests.integration.operations.contexts.numbers import EUM, GRAPH, item, register
from whatsapp import store
from whatsapp.store.items import PhoneCompanies, PhoneList


def full_list() -> list[dict[str, str]]:
    numbers = (str(10**14 + number) for number in range(500))
    return [
        {
            "phone": number,
            "company": "acme",
            "phoneArn": number,
            "displayPhone": number,
            "waba": "1",
        }
        for number in numbers
    ]


def test_a_full_list_refuses_new_numbers_and_accepts_changes_of_listed_ones(
    inbox: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = full_list()
    full = PhoneList(pk=PhoneList.key("acme"), company="acme", phones=entries)
    inbox.put(full.attributes())
    companies = PhoneCompanies(pk=PhoneCompanies.pk_pattern, companies={"acme"})
    inbox.put(companies.attributes())

    assert register(inbox, GRAPH) == 1
    assert "the list is full: 500 numbers" in capsys.readouterr().err
    assert item(inbox, "106540352242922") == {}

    assert register(inbox, GRAPH | {"--phone": entries[7]["phone"]}) == 0
    assert len(store.phones.listed(inbox)) == 500
    assert store.phones.listed(inbox)[7]["displayPhone"] == "15550783881"


def test_a_crash_before_the_list_is_repaired_by_registering_again(
    inbox: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store.phones, "_enter", crash)
        with pytest.raises(KeyboardInterrupt):
            register(inbox, GRAPH)
    assert item(inbox, "106540352242922") != {}
    assert store.phones.listed(inbox) == []

    assert register(inbox, GRAPH) == 0

    assert len(store.phones.listed(inbox)) == 1


def test_two_concurrent_registrations_are_both_listed(
    inbox: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Table.put
    meanwhile = [EUM]

    def put_after_another_writer(table: Table, new: Attributes, **more: Any) -> None:
        if meanwhile and new.get("pk") == PhoneList.key("acme"):
            assert register(inbox, meanwhile.pop()) == 0
        put(table, new, **more)

    monkeypatch.setattr(Table, "put", put_after_another_writer)

    assert register(inbox, GRAPH) == 0
    assert {entry["phone"] for entry in store.phones.listed(inbox)} == {
        "106540352242922",
        "206540352242933",
    }


def test_a_list_under_constant_concurrent_writes_fails_with_an_error(
    inbox: Table, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put = Table.put

    def refuse(table: Table, new: Attributes, **more: Any) -> None:
        if new.get("pk") == PhoneList.key("acme"):
            raise ConditionFailed(None)
        put(table, new, **more)

    monkeypatch.setattr(Table, "put", refuse)

    assert register(inbox, GRAPH) == 1
    assert "phone_list_contended" in capsys.readouterr().err
