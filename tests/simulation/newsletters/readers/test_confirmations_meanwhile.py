"""What a reader confirms counts at once, and no page that was shown earlier takes it back, in any order of events."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.simulation.newsletters.steps.issues import addressed, consents_of, mails
from tests.simulation.newsletters.steps.readers import (
    DORA,
    MINUTES_20,
    confirmed,
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

BEES = {"name": "Others", "title": "Bee News"}


def page_of(system: System, list_id: str) -> str:
    """The path of the page of a reader who has asked for it."""
    visited(system, f"/n/{COMPANY}/{list_id}/preferences", {"email": DORA})
    system.settle()
    return link_in(mails(system)[-1], "preferences")


def shown(page: str) -> dict[str, Any]:
    """The form of a page as a browser sends it, if the reader changes nothing."""
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    chosen = re.findall(r'name="list" value="(\w+)" checked', page)
    return {**hidden, "list": chosen, "frequency": "all", "language": "en", "act": "save"}


def ticked(system: System, path: str) -> list[str]:
    """The lists to which the page says that the reader is subscribed."""
    found: list[str] = shown(visited(system, path).text)["list"]
    return found


def confirmed_unprocessed(system: System, list_id: str) -> None:
    """A reader confirms a sign-up to another list, and the worker has not run yet."""
    system.clock.ms += MINUTES_20
    assert signed_up(system, list_id).status == 202
    system.settle()
    assert confirmed(system, mails(system)[-1]).status == 200


def with_two_lists(system: System) -> tuple[str, str, str]:
    """A reader of one of two lists, with the path of the page of choices."""
    own, other = published(system), published(system, **BEES)
    joined(system, own)
    return own, other, page_of(system, own)


def states_of(system: System) -> dict[str, str]:
    found = system.plain("log").items()
    return {sk: row["state"] for (pk, sk), row in found if pk.startswith("CONSENT#")}


def test_a_list_is_ticked_as_soon_as_its_sign_up_is_confirmed(system: System) -> None:
    own, other, path = with_two_lists(system)
    assert ticked(system, path) == [own]
    confirmed_unprocessed(system, other)

    assert not is_member(system, other)
    assert ticked(system, path) == sorted([own, other])
    data = json.loads(visited(system, path, {"act": "data"}).text)
    assert [one["list_id"] for one in data["subscriptions"]] == sorted([own, other])
    system.settle()
    assert is_member(system, other)
    assert ticked(system, path) == sorted([own, other])


@pytest.mark.parametrize("is_processed", [False, True])
def test_a_page_from_before_a_confirmation_does_not_take_it_back(
    system: System, *, is_processed: bool
) -> None:
    own, other, path = with_two_lists(system)
    before = shown(visited(system, path).text)
    confirmed_unprocessed(system, other)
    if is_processed:
        system.settle()
    system.clock.ms += 1_000

    assert visited(system, path, before).status == 200
    system.settle()
    assert ticked(system, path) == sorted([own, other])
    assert is_member(system, other)
    assert "left" not in {row["action"] for row in rows_of_readers(system, "CONSENT")}


@pytest.mark.parametrize("is_processed", [False, True])
def test_a_reader_who_unticks_a_list_that_was_just_confirmed_stays_out(
    system: System, *, is_processed: bool
) -> None:
    own, other, path = with_two_lists(system)
    confirmed_unprocessed(system, other)
    form = shown(visited(system, path).text)
    if is_processed:
        system.settle()
    system.clock.ms += 1_000

    assert visited(system, path, form | {"list": [own]}).status == 200
    assert ticked(system, path) == [own]
    system.settle()
    assert ticked(system, path) == [own]
    assert states_of(system)[f"list:{other}"] == "opted_out"


def test_a_page_from_before_the_reader_left_does_not_take_the_reader_back(system: System) -> None:
    own, other, path = with_two_lists(system)
    before, again = (shown(visited(system, path).text) for _ in range(2))
    assert visited(system, path, before | {"list": []}).status == 200
    system.clock.ms += 1_000

    answer = visited(system, path, again | {"version": "1"})
    assert answer.status == 200
    assert ticked(system, path) == []
    assert states_of(system)[f"list:{own}"] == "opted_out"
    assert not is_member(system, other)


def test_a_confirmation_after_leaving_everything_is_ticked_at_once(system: System) -> None:
    own, other, path = with_two_lists(system)
    assert visited(system, path, {"act": "leave_all"}).status == 200
    confirmed_unprocessed(system, other)

    assert ticked(system, path) == [other]
    system.clock.ms += 1_000
    assert visited(system, path, {"act": "leave_all"}).status == 200
    assert ticked(system, path) == []
    system.settle()
    assert ticked(system, path) == []
    assert states_of(system)["newsletters"] == "opted_out"
    assert own not in ticked(system, path)


def test_choices_that_are_still_to_be_carried_out_lose_a_list_that_is_unticked(
    system: System,
) -> None:
    _, other, path = with_two_lists(system)
    form = shown(visited(system, path).text)
    assert visited(system, path, form | {"list": [*form["list"], other]}).status == 200
    assert other in ticked(system, path)
    form = shown(visited(system, path).text)
    form["list"].remove(other)
    system.clock.ms += 1_000
    assert visited(system, path, form).status == 200

    assert other not in ticked(system, path)
    system.settle()
    assert not is_member(system, other)


def test_topics_of_a_list_that_the_page_did_not_show_stay(system: System) -> None:
    own, other, path = with_two_lists(system)
    published(system, topics=["Goats"])
    published(system, **BEES, topics=["Honey"])
    form = shown(visited(system, path).text)
    assert visited(system, path, form | {f"topic.{other}": ["Honey"]}).status == 200

    older = shown(visited(system, path).text) | {"shown": own, f"topic.{own}": ["Goats"]}
    assert visited(system, path, older).status == 200
    (row,) = rows_of_readers(system, "CHOICES")
    assert row["topics"] == {own: ["Goats"], other: ["Honey"]}


def test_a_form_that_does_not_say_what_it_showed_changes_nothing(system: System) -> None:
    own, _, path = with_two_lists(system)
    form = shown(visited(system, path).text)
    del form["shown"]

    answer = visited(system, path, form | {"list": []})
    assert (answer.status, 'role="alert"' in answer.text) == (409, True)
    assert ticked(system, path) == [own]
    assert visited(system, path, shown(answer.text)).status == 200


def test_a_link_that_is_asked_for_right_after_the_confirmation_leads_to_the_page(
    system: System,
) -> None:
    list_id = published(system)
    signed_up(system, list_id)
    system.settle()
    confirmed(system, mails(system)[0])
    join = system.fifo_queues.receive()  # which the queue brings later than what follows
    assert visited(system, f"/n/{COMPANY}/{list_id}/preferences", {"email": DORA}).status == 202
    for queue, message in system.fifo_queues.receive():
        system.run_worker(queue, message)

    assert addressed(system) == [DORA, DORA]
    assert ticked(system, link_in(mails(system)[-1], "preferences")) == [list_id]
    for queue, message in join:
        system.run_worker(queue, message)
    system.settle()
    assert is_member(system, list_id)
    assert not system.open_work()


def test_a_repeated_button_carries_on_a_confirmation_that_was_cut_off(system: System) -> None:
    list_id = published(system)
    signed_up(system, list_id)
    system.settle()
    path = link_in(mails(system)[0], "confirm")
    assert visited(system, path, {"act": "save"}).status == 200
    consents = consents_of(system).table
    for pk, sk in [key for key in system.plain("log") if key[0].startswith("CONSENT#")]:
        consents.delete({"pk": pk, "sk": sk})  # as if the request had ended before

    assert visited(system, path, {"act": "save"}).status == 200
    assert states_of(system) == {f"list:{list_id}": "opted_in"}
    system.settle()
    assert is_member(system, list_id)


def test_an_erasure_counts_at_once_and_no_confirmation_before_it_comes_back(system: System) -> None:
    own, other, path = with_two_lists(system)
    assert visited(system, path, {"act": "erase"}).status == 200
    system.settle()
    erase = link_in(mails(system)[-1], "erase")
    form = shown(visited(system, path).text)
    confirmed_unprocessed(system, other)
    join = system.fifo_queues.receive()
    system.clock.ms += 1_000
    assert visited(system, erase, {"act": "save"}).status == 200

    assert states_of(system)["newsletters"] == "opted_out"
    for fields in (None, form, {"act": "data"}, {"act": "leave_all"}, {"act": "erase"}):
        page = visited(system, path, fields)
        assert (page.status, "erased" in page.text, DORA in page.text) == (200, True, False)
    assert not rows_of_readers(system, "CHOICES")
    for _ in range(3):
        system.settle()
        system.clock.ms += MINUTES_20
    for queue, message in join:
        system.run_worker(queue, message)
    assert not is_member(system, own)
    assert not is_member(system, other)
    assert not [key for key in system.rows() if key.startswith("NLSUB#") and "QUOTA" not in key]


def test_a_reader_who_leaves_everything_is_out_on_every_page_at_once(system: System) -> None:
    own, other, path = with_two_lists(system)
    form = shown(visited(system, path).text)
    confirmed_unprocessed(system, other)
    assert person(system) is not None
    system.clock.ms += 1_000
    left = visited(system, path, {"act": "leave_all"})
    assert left.status == 200
    system.settle()
    system.clock.ms += 1_000

    assert visited(system, path, form).status == 200
    assert ticked(system, path) == []
    assert states_of(system)["newsletters"] == "opted_out"
    assert f"list:{own}" in states_of(system)
