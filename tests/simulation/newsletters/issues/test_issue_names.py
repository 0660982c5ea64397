"""Names of readers in the subject and the text of an issue."""

from __future__ import annotations

from email.utils import parseaddr
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.issues.personal_fields import Names, filled, names_of
from shared.identity.contacts.items import Details
from tests.simulation.newsletters.scenarios import EXPORTED, exported, settled
from tests.simulation.newsletters.scenarios import ONE as NEWSLETTER
from tests.simulation.newsletters.steps.issues import (
    ONE,
    READERS,
    approved,
    drafted,
    issue_of,
    made_list,
    mails,
    opened,
    reader,
    sent,
    with_readers,
)
from tests.simulation.newsletters.steps.readers import published, visited
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System


def greets(system: System) -> None:
    present = system.read(NEWSLETTER)["draft"]
    greeting = "\n\nDear {{first_name|*reader* & friend}} {{last_name|}}, good morning.\n"
    wanted = {"version": present["version"], "content": present["content"] + greeting}
    system.act("PUT", f"{NEWSLETTER}/draft", wanted, key="greets")


def names(system: System) -> None:
    """Ann has both names, Bob a hostile one, Cleo none."""
    list_id = made_list(system)
    ann, bob, _ = READERS
    reader(system, list_id, ann, name="Ann O'Hara", given_names="Ann")
    reader(system, list_id, bob, given_names="<b>{{unsubscribe_url}}\r\nBcc: x")


def subject_of(mail: dict[str, Any]) -> str:
    return str(mail["Content"]["Simple"]["Subject"]["Data"])


def body_of(mail: dict[str, Any], part: str) -> str:
    return str(mail["Content"]["Simple"]["Body"][part]["Data"])


def test_a_mail_has_the_stored_name_of_its_reader_and_a_text_for_readers_without_one(
    system: System,
) -> None:
    settled(EXPORTED, with_readers(), names, greets, exported("email", "text", key="names"))(system)
    list_id = published(system)
    settled(
        lambda of: drafted(
            of,
            subject="{{first_name|You}}: news {{ last_name | }}",
            preheader="Hi {{first_name|all}}",
        ),
        approved,
        sent,
    )(system)
    ann, bob, cleo = sorted(
        mails(system), key=lambda one: parseaddr(one["Destination"]["ToAddresses"][0])[1]
    )

    assert subject_of(ann) == "Ann: news O'Hara"
    assert subject_of(bob) == "<b>{{unsubscribe_url}} Bcc: x: news"
    assert subject_of(cleo) == "You: news"
    assert "Dear Ann O&#x27;Hara, good" in body_of(ann, "Html")
    assert "Dear Ann O'Hara, good" in body_of(ann, "Text")
    assert "Hi Ann</div>" in body_of(ann, "Html")
    assert "Dear &lt;b&gt;{{unsubscribe_url}} Bcc: x , good" in body_of(bob, "Html")
    assert "</em> &amp; friend , good" in body_of(cleo, "Html")
    public = visited(system, f"/n/{COMPANY}/{list_id}/archive/{issue_of(system).issue_id}")
    view = opened(system, body_of(ann, "Text").rstrip().rpartition(" ")[2])
    for page in (public.text, view.text):
        assert "</em> &amp; friend , good" in page
        assert "Ann" not in page
    assert ">You: news</a>" in visited(system, f"/n/{COMPANY}/{list_id}/archive").text


def test_a_placeholder_without_a_value_blocks_an_issue(system: System) -> None:
    settled(EXPORTED, with_readers())(system)
    for number, subject in enumerate(
        ("{{first_name}}", "{{First_Name|x}}", "{{city|here}}", "{{unsubscribe_url}}")
    ):
        drafted(system, key=f"issue {number}", subject=f"News for {subject}")
        found = system.read(f"{ONE}/checklist")["checks"]
        problems = [one["problem"] for one in found if one["code"] == "unknown_placeholder"]
        assert [subject in one for one in problems] == [True], subject


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({"name": "Ann O'Hara", "given_names": "Ann"}, Names("Ann", "O'Hara")),
        ({"name": "Nagy Anna", "given_names": "Anna"}, Names("Anna", "Nagy")),
        ({"name": "Ann O'Hara"}, Names()),  # which of them is the given name is not known
        ({"given_names": "Anna  Maria"}, Names("Anna Maria")),
        ({"name": "Annabel", "given_names": "Ann"}, Names("Ann")),
        ({"name": "Ann", "given_names": "Ann"}, Names("Ann")),
        ({}, Names()),
    ],
)
def test_names_are_read_as_stored_and_never_guessed(
    stored: dict[str, str], expected: Names
) -> None:
    assert names_of(Details(changed_at="-", cause="-", **stored)) == expected
    assert names_of(None) == Names()


def test_a_name_with_a_placeholder_is_not_filled_again() -> None:
    assert filled("{{first_name|x}}", Names("{{last_name|y}}", "Z")) == "{{last_name|y}}"
