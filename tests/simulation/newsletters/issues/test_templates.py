"""Looks of issues: colours, font, logo and texts of the company in the mails, the web view and the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsletters.exports.writers.palette import LIGHT
from newsletters.store.readers import templates
from shared.aws.dynamodb import Table
from tests.simulation.newsletters.scenarios import EXPORTED, draft_edited, exported, settled
from tests.simulation.newsletters.steps.issues import (
    ONE,
    READY,
    approved,
    drafted,
    mails,
    opened,
    sent,
    shown,
    with_readers,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.newsletters.system import System

ALL = "/newsletters/templates"
GIVEN: dict[str, Any] = {
    "name": "House style",
    "layout": "digest",
    "colours": {"accent": "#7A1F5C", "page": "#fdf6e3"},
    "font_stack": "serif",
    "logo_url": "https://shop.example/logo.png",
    "logo_alt": "The Shop",
    "header_md": "**News** for {{first_name|you}}",
    "footer_md": "Opening hours: [here](https://shop.example/hours)",
}


def made(system: System, **fields: Any) -> str:
    answer = system.act("POST", ALL, GIVEN | fields, key=f"template {sorted(fields)}")
    return str(answer["template_id"])


def in_look(system: System) -> None:
    drafted(system, template_id=made(system))


def refused(system: System, method: str, path: str, body: dict[str, Any]) -> list[dict[str, str]]:
    status, answer = system.call(method, path, body, key="refused-call")
    assert status == 400, answer
    found: list[dict[str, str]] = answer["error"]["details"]
    return found


def test_mails_and_the_web_view_have_the_colours_the_font_the_logo_and_the_texts_of_the_template(
    system: System,
) -> None:
    settled(EXPORTED, with_readers("ann@orchard.example"), in_look, approved, sent)(system)
    [mail] = mails(system)
    html = mail["Content"]["Simple"]["Body"]["Html"]["Data"]
    text = mail["Content"]["Simple"]["Body"]["Text"]["Data"]

    assert "#7a1f5c" in html
    assert "#fdf6e3" in html
    assert LIGHT.link not in html
    assert LIGHT.page not in html
    assert "Georgia" in html
    assert 'src="https://shop.example/logo.png" alt="The Shop"' in html
    assert html.index("logo.png") < html.index("<strong>News</strong> for you") < html.index("<h1")
    assert html.index("shop.example/hours") < html.index("1 Mill Lane")
    assert text.startswith("News for you")
    assert "Opening hours: here" in text
    view = opened(system, text.rstrip().rpartition(" ")[2])
    assert "<strong>News</strong> for you" in view.text


def test_an_approved_issue_keeps_its_look_and_one_without_its_template_is_not_approved(
    system: System,
) -> None:
    settled(EXPORTED, with_readers("ann@orchard.example"), in_look)(system)
    template = f"{ALL}/{system.read(ONE)['template_id']}"
    system.act("DELETE", template, {}, key="remove")

    blocking = [
        one["code"] for one in system.read(f"{ONE}/checklist")["checks"] if one["level"] == "blocks"
    ]
    assert blocking == ["template_removed"]
    changed_look = {
        "version": system.read(ONE)["version"],
        "template_id": made(system, name="Other"),
    }
    system.act("PATCH", ONE, changed_look, key="other look")
    approved(system)
    system.act("DELETE", f"{ALL}/{changed_look['template_id']}", {}, key="remove other")
    settled(sent)(system)
    [mail] = mails(system)
    assert "#7a1f5c" in mail["Content"]["Simple"]["Body"]["Html"]["Data"]


def text_changed(system: System) -> None:
    settled(draft_edited, exported("email", "text", key="again"))(system)


def look_changed(system: System) -> None:
    path = f"{ALL}/{system.read(ONE)['template_id']}"
    colours = {"accent": "#0b6350", "page": "#ffffff"}
    system.act("PATCH", path, {"version": 1, "colours": colours}, key="other colours")


@pytest.mark.parametrize("change", [text_changed, look_changed])
def test_a_text_or_look_that_was_changed_after_the_checklist_is_not_approved_unseen(
    system: System, change: Callable[[System], None]
) -> None:
    settled(EXPORTED, with_readers("ann@orchard.example"), in_look)(system)
    seen = {"version": 1, "content_id": shown(system), "acknowledge_warnings": True}
    change(system)

    status, answer = system.call("POST", f"{ONE}/approve", seen, key="approved-unseen")

    assert (status, answer["error"]["code"]) == (409, "stale_version")
    assert answer["error"]["message"].startswith("content_id")
    assert system.read(ONE)["state"] == "draft"
    approved(system)
    assert system.read(ONE)["state"] == "approved"


def test_a_test_mail_has_the_look_of_its_issue_and_none_is_sent_once_the_look_is_removed(
    system: System,
) -> None:
    settled(EXPORTED, with_readers("ann@orchard.example"), in_look)(system)
    body = {"addresses": ["ann@shop.example"]}
    system.act("POST", f"{ONE}/test", body, key="test")
    system.settle()
    [mail] = mails(system)
    html = mail["Content"]["Simple"]["Body"]["Html"]["Data"]
    assert ("#7a1f5c" in html, LIGHT.link in html, "logo.png" in html) == (True, False, True)
    assert html.index("shop.example/hours") < html.index("1 Mill Lane")

    system.act("DELETE", f"{ALL}/{system.read(ONE)['template_id']}", {}, key="remove")
    status, answer = system.call("POST", f"{ONE}/test", body, key="without-look")
    assert (status, answer["error"]["code"]) == (409, "checklist_failed")
    system.settle()
    assert mails(system) == [mail]


@pytest.mark.parametrize(
    ("fields", "field", "rule"),
    [
        ({"colours": {"accent": "#ffd700", "page": "#ffffff"}}, "colours.accent", "contrast"),
        ({"colours": {"accent": "#000000", "page": "#444444"}}, "colours.page", "contrast"),
        ({"colours": {"accent": "red", "page": "#ffffff"}}, "colours.accent", "colour"),
        ({"logo_url": "http://shop.example/logo.png"}, "logo_url", "https://"),
        ({"logo_url": 'https://shop.example/"><script>'}, "logo_url", "https://"),
        ({"logo_url": "https://shop.example/?{{preferences_url}}"}, "logo_url", "https://"),
        ({"logo_alt": "{{unsubscribe_url}}"}, "logo_alt", "placeholders"),
        ({"colours": {"accent": "#6f6f6f", "page": "#d8d8d8"}}, "colours.page", "#6f6f6f"),
        ({"logo_alt": None}, "logo_alt", "both"),
        ({"header_md": "# Title"}, "header_md", "paragraphs"),
        ({"footer_md": "x" * 1_001}, "footer_md", "1000"),
        ({"layout": "wild"}, "layout", "plain"),
        ({"name": " "}, "name", "blank"),
    ],
)
def test_a_template_that_readers_could_not_read_is_refused_with_the_field_and_the_rule(
    system: System, fields: dict[str, Any], field: str, rule: str
) -> None:
    [problem] = refused(system, "POST", ALL, GIVEN | fields)

    assert problem["field"] == field
    assert rule in problem["problem"]


def test_an_issue_names_a_template_of_its_company(system: System) -> None:
    READY(system)
    version = system.read(ONE)["version"]

    [problem] = refused(system, "PATCH", ONE, {"version": version, "template_id": "0" * 16})

    assert problem == {"field": "template_id", "problem": "must be a template"}


def test_a_repeated_call_of_the_last_possible_template_makes_it_once(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "MOST", 1)
    table = Table(system.dynamodb, system.table)
    made(system)
    [stored] = templates.of_company(table, COMPANY)

    assert templates.put(table, stored.model_copy(update={"version": 0})).version == 1
    status, answer = system.call("POST", ALL, GIVEN | {"name": "Other"}, key="one-too-many")
    assert (status, answer["error"]["code"]) == (409, "too_many_templates")


def test_absent_values_of_a_template_stay_and_an_older_version_is_refused(system: System) -> None:
    template_id = made(system)
    path = f"{ALL}/{template_id}"
    read = system.read(path)

    changed_name = system.act("PATCH", path, {"version": 1, "name": "New"}, key="name")
    status, stale = system.call("PATCH", path, {"version": 1, "name": "Old"}, key="stale-call")

    assert changed_name == read | {
        "name": "New",
        "version": 2,
        "updated_at": changed_name["updated_at"],
    }
    assert (status, stale["error"]["code"]) == (409, "stale_version")
    assert [one["template_id"] for one in system.read(ALL)["templates"]] == [template_id]
