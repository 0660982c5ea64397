"""The public form of a list: what it refuses, its languages, and the forms of companies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from newsletters.issues.readers.texts import LANGUAGES
from tests.cases import each
from tests.simulation.newsletters.steps.issues import addressed, mails
from tests.simulation.newsletters.steps.readers import (
    DORA,
    link_in,
    published,
    rows_of_readers,
    signed_up,
    visited,
)
from tests.simulation.newsletters.steps.signups import path_of, states

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System


@each(
    "fields",
    [
        {"email": ""},
        {"email": "dora"},
        {"email": "dora@field.example, erin@field.example"},
        {"email": "dörä@field.example"},  # SES refuses it
        {"email": "dora@field.example\x00"},
        {"email": f"{'d' * 400}@field.example"},
        {"email": DORA, "first_name": "Do\x07ra"},
        {"email": DORA, "first_name": "D" * 101},
    ],
)
def test_a_form_that_is_filled_in_wrongly_says_so_and_stores_nothing(
    system: System, fields: dict[str, str]
) -> None:
    list_id = published(system)
    page = visited(system, path_of(list_id), fields)
    as_json = visited(
        system, path_of(list_id), body=json.dumps(fields), content_type="application/json"
    )

    assert (page.status, as_json.status) == (422, 422)
    assert 'role="alert"' in page.text
    details_found = json.loads(as_json.text)["error"]["details"]
    wrong = "first_name" if "first_name" in fields else "email"
    assert [one["field"] for one in details_found] == [wrong]
    assert not rows_of_readers(system, "SIGNUP")


def test_a_form_of_a_company_may_send_json(system: System) -> None:
    list_id = published(system)
    body = json.dumps({"email": "Dora@Field.example", "extra": 1, "first_name": "Dora"})
    answer = visited(system, path_of(list_id), body=body, content_type="application/json")
    system.settle()

    assert (answer.status, list(json.loads(answer.text))) == (202, ["message"])
    assert addressed(system) == [DORA]
    for broken in ("[]", "{", '{"email": ["dora@field.example"]}', "\ud800"):
        found = visited(system, path_of(list_id), body=broken, content_type="application/json")
        assert found.status == 422


def test_pages_and_mails_are_in_the_language_of_the_list_or_of_the_reader(system: System) -> None:
    list_id = published(system, language="de", title="Hofpost")
    page = visited(system, path_of(list_id))
    assert 'lang="de" dir="ltr"' in page.text
    assert "Hofpost" in page.text
    assert "abonnieren" in page.text

    for language in LANGUAGES:
        shown = visited(system, path_of(list_id), query={"language": language})
        direction = "rtl" if language == "ar" else "ltr"
        assert f'lang="{language}" dir="{direction}"' in shown.text
    unknown = visited(system, path_of(list_id), query={"language": "xx"})
    assert 'lang="de"' in unknown.text
    signed_up(system, list_id, fields={"language": "ar"})
    system.settle()
    mail = mails(system)[0]["Content"]["Simple"]
    assert mail["Subject"]["Data"].endswith("Hofpost")
    assert 'lang="ar" dir="rtl"' in mail["Body"]["Html"]["Data"]
    assert 'lang="ar" dir="rtl"' in visited(system, link_in(mails(system)[0], "confirm")).text


def test_a_list_that_is_closed_unpublished_or_unknown_is_not_found(system: System) -> None:
    list_id = published(system)
    hidden_path = path_of("0" * 16)
    for path in (hidden_path, path_of(list_id, "globex"), path_of("x"), path_of(list_id, "a#b")):
        assert visited(system, path).status == 404
        assert visited(system, path, {"email": DORA}).status == 404
    published(system, is_open=False)
    assert visited(system, path_of(list_id)).status == 404
    published(system, is_open=True)
    signed_up(system, list_id)
    system.act("DELETE", f"/newsletters/lists/{list_id}")
    system.settle()
    assert addressed(system) == []
    assert states(system) == ["refused"]
