"""Readers ask by their address for a link to their page, and there for their erasure, which a mail confirms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.contacts import lists
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    Page,
    addressed,
    approved,
    contacts_of,
    drafted,
    ledger,
    mails,
    sent,
)
from tests.simulation.newsletters.steps.readers import (
    DORA,
    MINUTES_20,
    is_member,
    joined,
    link_in,
    person,
    published,
    rows_of_readers,
    signed_up,
    visited,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

DAY = 24 * 3_600_000


def asked(system: System, list_id: str, email: str = DORA, **more: Any) -> Page:
    """A person asks for a link, and the worker is done."""
    fields = {"email": email, "website": "", **more.pop("fields", {})}
    page = visited(system, f"/n/{COMPANY}/{list_id}/preferences", fields, **more)
    system.settle()
    return page


def page_of(system: System, list_id: str) -> str:
    """The path of the page of a reader who has asked for it."""
    assert asked(system, list_id).status == 202
    return link_in(mails(system)[-1], "preferences")


def erasure_asked(system: System, list_id: str) -> str:
    """The path in the mail of a reader who wants to be erased."""
    assert visited(system, page_of(system, list_id), {"act": "erase"}).status == 200
    system.settle()
    return link_in(mails(system)[-1], "erase")


def settle_erasure(system: System) -> None:
    """The job waits for exports that are running; the schedule continues it."""
    for _ in range(3):
        system.settle()
        system.clock.ms += MINUTES_20


def test_a_reader_gets_a_link_by_the_address_without_any_issue(system: System) -> None:
    list_id = published(system)
    joined(system, list_id)
    path = page_of(system, list_id)

    page = visited(system, path)
    assert page.status == 200
    assert f'value="{list_id}" checked' in page.text
    mail = mails(system)[-1]["Content"]["Simple"]
    assert mail["Subject"]["Data"] == "Your newsletters: Farm News"
    assert visited(system, path, {"act": "leave_all"}).status == 200
    assert f'value="{list_id}" checked' not in visited(system, path).text


def test_the_answer_is_the_same_for_every_address_and_unknown_ones_get_no_mail(
    system: System,
) -> None:
    list_id = published(system)
    joined(system, list_id)
    before = len(mails(system))
    known, unknown = asked(system, list_id), asked(system, list_id, "unknown@field.example")

    assert (known.status, known.text) == (unknown.status, unknown.text)
    assert addressed(system)[before:] == [DORA]
    reasons = {row.get("reason") for row in rows_of_readers(system, "SIGNUP#choices")}
    assert reasons == {None, "unknown_address"}


def test_an_address_gets_one_link_in_a_quarter_of_an_hour_and_three_a_day(system: System) -> None:
    list_id = published(system)
    joined(system, list_id)
    before = len(mails(system))
    asked(system, list_id)
    asked(system, list_id)
    assert len(mails(system)) == before + 1
    for _ in range(4):
        system.clock.ms += MINUTES_20
        asked(system, list_id)
    assert len(mails(system)) == before + 3
    system.clock.ms += DAY
    asked(system, list_id)
    assert len(mails(system)) == before + 4


def test_a_network_address_asks_a_limited_number_of_times(system: System) -> None:
    list_id = published(system)
    answers = [asked(system, list_id, f"r{n}@field.example").status for n in range(21)]
    assert answers == [202] * 20 + [429]


def test_programs_and_wrong_addresses_cause_no_mail(system: System) -> None:
    list_id = published(system)
    joined(system, list_id)
    before = len(mails(system))
    assert asked(system, list_id, fields={"website": "https://spam.example"}).status == 202
    page = asked(system, list_id, "dora@")
    assert (page.status, 'role="alert"' in page.text) == (422, True)
    assert visited(system, f"/n/{COMPANY}/{'0' * 16}/preferences").status == 404
    assert len(mails(system)) == before


def test_a_link_that_is_over_leads_to_the_form(system: System) -> None:
    list_id = published(system)
    joined(system, list_id)
    path = page_of(system, list_id)
    system.clock.ms += 59 * DAY
    assert visited(system, path).status == 200
    system.clock.ms += 2 * DAY
    page = visited(system, path)
    assert page.status == 410
    assert f'href="../{COMPANY}/{list_id}/preferences"' in page.text
    assert visited(system, f"/n/{COMPANY}/{list_id}/preferences").status == 200


def test_the_form_of_sign_ups_leads_to_the_form_of_links(system: System) -> None:
    list_id = published(system)
    page = visited(system, f"/n/{COMPANY}/{list_id}/subscribe")
    assert '<a href="preferences">' in page.text


@pytest.mark.parametrize("language", ["de", "ar"])
def test_pages_and_mails_are_in_the_language_of_the_reader(system: System, language: str) -> None:
    list_id = published(system, language=language)
    joined(system, list_id)
    form = visited(system, f"/n/{COMPANY}/{list_id}/preferences")
    assert f'<html lang="{language}"' in form.text
    confirm = erasure_asked(system, list_id)
    html = mails(system)[-1]["Content"]["Simple"]["Body"]["Html"]["Data"]
    assert f'<html lang="{language}"' in html
    assert f'<html lang="{language}"' in visited(system, confirm).text


def test_a_reader_is_erased_after_the_button_of_a_mail(system: System) -> None:
    list_id = published(system)
    joined(system, list_id)
    confirm = erasure_asked(system, list_id)
    before = system.rows()
    for _ in range(3):
        assert visited(system, confirm).status == 200
    assert system.rows() == before

    assert "erased" in visited(system, confirm, {"act": "save"}).text
    settle_erasure(system)
    assert not [key for key in system.rows() if key.startswith("NLSUB#") and "QUOTA" not in key]
    assert not is_member(system, list_id)
    assert not system.open_work()
    (job,) = (row for key, row in system.rows().items() if key.startswith("NLPRIVACY#"))
    assert (job["state"], job["requested_by"]) == ("done", "reader")
    assert DORA not in str(job)
    answer = visited(system, confirm, {"act": "save"})
    assert (answer.status, "erased" in answer.text) == (200, True)


def test_an_erased_reader_gets_no_issue_even_if_people_add_the_contact_again(
    system: System,
) -> None:
    EXPORTED(system)
    list_id = published(system)
    joined(system, list_id)
    visited(system, erasure_asked(system, list_id), {"act": "save"})
    settle_erasure(system)
    own = person(system)
    assert own is not None
    assert lists.add(contacts_of(system), COMPANY, list_id, own)
    settled(drafted, approved, sent)(system)
    assert [one.reason for one in ledger(system)] == ["opted_out"]


def test_an_erased_reader_comes_back_by_a_new_sign_up_only(system: System) -> None:
    list_id = published(system)
    joined(system, list_id)
    visited(system, erasure_asked(system, list_id), {"act": "save"})
    settle_erasure(system)
    joined(system, list_id)
    assert is_member(system, list_id)


def test_links_have_one_purpose_each(system: System) -> None:
    list_id = published(system)
    joined(system, list_id)
    confirm = erasure_asked(system, list_id)
    token = confirm.rpartition("/")[2]
    for wrong in (f"/n/preferences/{token}", f"/n/confirm/{token}"):
        assert visited(system, wrong, {"act": "save"}).status == 404
    own = link_in(mails(system)[-2], "preferences").rpartition("/")[2]
    assert visited(system, f"/n/erase/{own}", {"act": "save"}).status == 404
    assert is_member(system, list_id)


def test_a_pending_sign_up_is_not_disturbed_by_a_request_for_a_link(system: System) -> None:
    list_id = published(system)
    assert signed_up(system, list_id).status == 202
    system.settle()
    confirm = link_in(mails(system)[-1], "confirm")
    asked(system, list_id)
    assert visited(system, confirm, {"act": "save"}).status == 200
    system.settle()
    assert is_member(system, list_id)
