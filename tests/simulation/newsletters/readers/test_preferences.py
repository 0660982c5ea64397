"""A reader chooses lists, topics, language and frequency by the link of an issue, and reads the stored data."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest

from shared.identity.contacts import details
from shared.identity.contacts.items import Profile
from tests import keyring
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    ONE,
    addressed,
    approved,
    contacts_of,
    drafted,
    ledger,
    mails,
    opened,
    opted,
    reader,
    sent,
    stats,
    unsubscribe_url,
)
from tests.simulation.newsletters.steps.readers import (
    DORA,
    is_member,
    joined,
    link_in,
    person,
    published,
    rows_of_readers,
    visited,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

DAY: Final = 24 * 3_600_000


def with_issue(system: System, **fields: Any) -> tuple[str, str]:
    """A reader of a published list has an issue; return the list and the path of the reader's page."""
    EXPORTED(system)
    list_id = published(system, **fields)
    joined(system, list_id)
    settled(drafted, approved, sent)(system)
    return list_id, link_in(mails(system)[-1], "preferences")


def next_issue(system: System, key: str, **fields: Any) -> list[str | None]:
    """The next issue is sent; return why its recipients got none."""
    settled(
        partial(drafted, key=key, **fields), partial(approved, key=key), partial(send, key=key)
    )(system)
    return [one.reason for one in ledger(system)]


def send(system: System, key: str) -> None:
    version = system.read(ONE)["version"]
    system.act("POST", f"{ONE}/send", {"version": version}, key=f"send {key}")


def saved(system: System, path: str, **fields: Any) -> int:
    """The reader changes some fields of the page, and saves it."""
    page = visited(system, path)
    found = re.findall(r'name="(list|topic\.\w+)" value="([^"]+)" checked', page.text)
    form: dict[str, Any] = {"list": [], "frequency": "all"}
    for name, value in found:
        form.setdefault(name, []).append(value)
    form["version"] = re.findall(r'name="version" value="(\d+)"', page.text)[0]
    form["shown"] = re.findall(r'name="shown" value="([^"]*)"', page.text)[0]
    form["first_name"] = re.findall(r'name="first_name" value="([^"]*)"', page.text)[0]
    form["shows_name"] = "1"
    form["language"] = re.findall(r'value="(\w+)" lang="\w+" selected', page.text)[0]
    return visited(system, path, form | {"act": "save"} | fields).status


@pytest.mark.long
def test_a_reader_joins_and_leaves_published_lists(system: System) -> None:
    list_id, path = with_issue(system)
    other = published(system, "Others", title="Bee News")
    hidden = published(system, "Hidden", title="Hidden News", is_open=False)

    page = visited(system, path)
    assert page.status == 200
    assert "Bee News" in page.text
    assert "Hidden News" not in page.text
    assert saved(system, path, list=[other, hidden]) == 200
    system.settle()

    assert is_member(system, other)
    assert not is_member(system, hidden)
    assert next_issue(system, "left") == ["opted_out"]
    assert next_issue(system, "joined", list_ids=[other]) == [None]
    shown = visited(system, path).text
    assert re.findall(r'name="list" value="(\w+)" checked', shown) == [other]
    acts = {(row["action"], row.get("list_id")) for row in rows_of_readers(system, "CONSENT")}
    assert {("left", list_id), ("joined", other)} <= acts


def test_a_get_changes_nothing_and_a_second_page_does_not_undo_a_choice(system: System) -> None:
    list_id, path = with_issue(system)
    before = system.rows()
    for _ in range(3):
        visited(system, path)
    assert system.rows() == before

    assert saved(system, path, frequency="monthly") == 200
    stale = {"act": "save", "version": "0", "shown": list_id, "frequency": "all"}
    page = visited(system, path, stale)
    assert (page.status, 'role="alert"' in page.text) == (409, True)
    (row,) = rows_of_readers(system, "CHOICES")
    assert row["frequency"] == "monthly"
    assert "left" not in {one["action"] for one in rows_of_readers(system, "CONSENT")}
    assert is_member(system, list_id)


@pytest.mark.long
def test_topics_leave_issues_of_other_topics_out(system: System) -> None:
    list_id, path = with_issue(system, topics=["Bees", "Maize"])
    assert saved(system, path, **{f"topic.{list_id}": ["Bees", "Unknown"]}) == 200

    (row,) = rows_of_readers(system, "CHOICES")
    assert row["topics"] == {list_id: ["Bees"]}
    assert next_issue(system, "maize", topics=["Maize"]) == ["topic"]
    assert next_issue(system, "bees", topics=["Bees", "Maize"]) == [None]
    assert next_issue(system, "none", topics=[]) == [None]
    body = {"version": system.read(ONE)["version"], "topics": ["Goats"]}
    status, answer = system.call("PATCH", ONE, body)
    assert (status, answer["error"]["details"][0]["field"]) == (400, "topics.0")


@pytest.mark.long
def test_a_reader_who_wants_fewer_issues_gets_at_most_one_a_week(system: System) -> None:
    _, path = with_issue(system)
    assert saved(system, path, frequency="weekly") == 200

    assert next_issue(system, "first") == [None]
    system.clock.ms += 3 * DAY
    assert next_issue(system, "early") == ["frequency"]
    system.clock.ms += 4 * DAY
    assert next_issue(system, "on time") == [None]


@pytest.mark.long
def test_choices_and_links_hold_while_the_identifier_keys_rotate(system: System) -> None:
    list_id, path = with_issue(system)
    assert saved(system, path, frequency="weekly") == 200
    rotated = {"identifier_key": ["another key of thirty-two characters", keyring.KEY]}
    secrets = system.api.identifier_keys, system.worker.identifier_keys
    for secret in secrets:
        secret._value = rotated

    (before,) = ledger(system)
    assert next_issue(system, "rotated") == [None]
    assert [one.recipient for one in ledger(system)] != [before.recipient]
    assert next_issue(system, "second") == ["frequency"]
    assert visited(system, path).text.count("checked") == 2
    assert saved(system, path, list=[]) == 200
    assert next_issue(system, "third") == ["opted_out"]
    assert is_member(system, list_id)
    for secret in secrets:
        secret._value = None


def test_the_language_reaches_the_page_and_the_contact(system: System) -> None:
    _, path = with_issue(system)
    assert 'lang="en"' in visited(system, path).text
    assert saved(system, path, language="ar") == 200
    system.settle()

    assert 'lang="ar" dir="rtl"' in visited(system, path).text
    own = person(system)
    assert own is not None
    stored = details.described(contacts_of(system), own).details
    assert stored is not None
    assert stored.language == "ar"
    assert not system.open_work()


def stored_name(system: System) -> str | None:
    own = person(system)
    assert own is not None
    stored = details.described(contacts_of(system), own).details
    return stored.given_names if stored else None


def test_a_reader_changes_and_removes_the_own_name(system: System) -> None:
    _, path = with_issue(system)
    assert stored_name(system) == "Dora"
    assert saved(system, path, first_name=" Dörte  Mill ") == 200
    assert 'value="Dörte Mill"' in visited(system, path).text  # before the worker has changed it
    system.settle()
    assert stored_name(system) == "Dörte Mill"
    assert not any("first_name" in row for row in rows_of_readers(system, "CHOICES"))

    assert saved(system, path, first_name="x" * 101) == 422
    assert saved(system, path, frequency="monthly") == 200
    system.settle()
    assert stored_name(system) == "Dörte Mill"
    assert saved(system, path, first_name="") == 200
    system.settle()
    assert stored_name(system) is None
    assert not system.open_work()


def test_a_form_without_the_name_keeps_it_and_a_choice_meanwhile_does_too(system: System) -> None:
    list_id, path = with_issue(system)
    form = {"act": "save", "list": [list_id], "shown": list_id, "version": "0", "language": "en"}
    assert visited(system, path, form).status == 200
    assert saved(system, path, first_name="Eve") == 200
    assert saved(system, path, frequency="weekly") == 200  # before the worker has changed it
    system.settle()
    assert stored_name(system) == "Eve"


def test_the_pages_on_which_a_reader_leaves_are_in_the_readers_language(system: System) -> None:
    _, path = with_issue(system)
    leave = unsubscribe_url(mails(system)[-1])
    assert 'lang="en"' in opened(system, leave).text
    assert saved(system, path, language="ar") == 200

    asked = opened(system, leave)  # before a worker has changed the contact
    assert 'lang="ar" dir="rtl"' in asked.text
    (shown,) = re.findall(r'name="language" value="(\w+)"', asked.text)
    left = opened(system, leave, "POST", f"scope=list&language={shown}")
    assert 'lang="ar" dir="rtl"' in left.text
    assert 'name="language" value="ar"' in left.text
    (row,) = [one for one in rows_of_readers(system, "CONSENT") if one["action"] == "left"]
    assert row["language"] == "ar"
    assert opened(system, leave, "POST", "List-Unsubscribe=One-Click").status == 200


@pytest.mark.parametrize(("language", "expected"), [("de-AT", "de"), ("sw", "en"), (None, "en")])
def test_without_a_choice_the_language_of_the_contact_counts_as_far_as_it_has_texts(
    system: System, language: str | None, expected: str
) -> None:
    EXPORTED(system)
    reader(system, published(system), DORA, language=language)
    opted(system, DORA)
    settled(drafted, approved, sent)(system)

    assert f'lang="{expected}"' in opened(system, unsubscribe_url(mails(system)[-1])).text


def test_a_reader_leaves_all_newsletters_and_comes_back_to_one(system: System) -> None:
    list_id, path = with_issue(system)
    published(system, "Others", title="Bee News")
    assert visited(system, path, {"act": "leave_all"}).status == 200
    assert stats(system) == {"audience": 1, "sent": 1, "unsubscribed": 1}
    assert "checked" not in visited(system, path).text.partition("frequency")[0]
    assert next_issue(system, "none") == ["opted_out"]

    system.clock.ms += 1_000
    assert saved(system, path, list=[list_id]) == 200
    system.settle()
    assert next_issue(system, "again") == [None]


def test_a_reader_downloads_what_is_stored(system: System) -> None:
    list_id, path = with_issue(system)
    assert saved(system, path, frequency="monthly") == 200

    answer = visited(system, path, {"act": "data"})
    data = json.loads(answer.text)
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert data["subscriptions"] == [{"list_id": list_id, "title": "Farm News"}]
    assert DORA in answer.text
    actions = {row.get("action") for row in data["records"]}
    assert {"requested", "confirmed"} <= actions
    assert not {"PK", "SK", "owner"} & {name for row in data["records"] for name in row}


def test_a_link_to_the_page_ends_and_an_erased_person_has_none(system: System) -> None:
    _, path = with_issue(system)
    own = person(system)
    assert own is not None
    contacts_of(system).delete(Profile.key(COMPANY, own.contact_id))
    assert visited(system, path).status == 404
    assert visited(system, path, {"act": "save"}).status == 404
    assert opened(system, unsubscribe_url(mails(system)[-1]), "POST").status == 200
    system.clock.ms += 61 * DAY
    assert visited(system, path).status == 410


@pytest.mark.parametrize("field", ["list", "frequency", "language", "version"])
def test_values_that_the_page_does_not_offer_change_nothing(system: System, field: str) -> None:
    list_id, path = with_issue(system)
    fields: dict[str, Any] = {field: "../x\x00"}
    if field == "list":
        fields = {"list": [list_id, "f" * 16]}
    expected = 409 if field == "version" else 200

    assert saved(system, path, **fields) == expected
    system.settle()
    rows = rows_of_readers(system, "CHOICES")
    chosen = [(row["frequency"], row["language"], row["joins"]) for row in rows]
    assert chosen == ([] if field == "version" else [("all", "en", [])])
    assert is_member(system, list_id)
    assert addressed(system) == [DORA, DORA]
