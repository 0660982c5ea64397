"""What the public sees of a list with its welcome mail, and a series, on a narrow screen in three languages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from playwright.sync_api import Page, expect

from local.console.browser import barriers
from local.stack.processes import ROOT
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import STAGE, Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered, Call, Network

NARROWEST: Final = 320
LISTS: Final = ("0123456789abcdef", "fedcba9876543210")
WELCOME: Final = {"subject": "Hello {{first_name|there}}", "text": "First.\n\nSecond."}
LOCALES: Final = [
    "en-GB",
    *(pytest.param(one, marks=pytest.mark.long) for one in ("de-DE", "ar-EG")),
]


def texts(locale: str) -> dict[str, str]:
    file = ROOT / "console" / "src" / "texts" / "newsletters" / f"{locale[:2]}.json"
    found: dict[str, str] = json.loads(file.read_text())
    return found


def published(number: int, **fields: Any) -> dict[str, Any]:
    base = f"/n/acme/{LISTS[number]}"
    return {
        "list_id": LISTS[number], "title": "Farm News", "description": "", "language": "en",
        "is_open": True, "has_archive": False, "topics": ["Bees"], "keeps_ip": False,
        "welcome": None, "sender": "news@shop.example", "sender_name": "The Shop",
        "reply_to": None, "postal_address": "1 Mill Lane, Leeds", "updated_at": at(0),
        "updated_by": "user:ada", "version": 3, "subscribe_path": f"{base}/subscribe",
        "archive_path": None, "feed_path": None, **fields,
    }  # fmt: skip


def option(*values: str) -> list[dict[str, str]]:
    return [{"value": one, "label": one.replace("_", " ").title()} for one in values]


OPTIONS: Final = {
    "target_audience": option("farmers", "researchers"),
    "tone_preset": option("industry_insight", "friendly_summary"),
    "length_preference": option("standard", "short"),
    "frequency": option("weekly", "monthly"),
    "selected_types": option("events", "publications"),
}


def series(**fields: Any) -> dict[str, Any]:
    return {
        "series_id": "series1", "title": "Weekly", "newsletter": {"target_audience": ["farmers"]},
        "selected_types": ["Events"], "timezone": "Europe/Berlin", "enabled": True, "issue": None,
        "rule": {"unit": "weeks", "every": 1, "weekdays": [1], "day_of_month": None, "time": "09:00"},
        "next_run": at(0), "runs": [], "created_at": at(0), "created_by": "user:ada",
        "updated_at": at(0), "updated_by": "user:ada", "version": 2, **fields,
    }  # fmt: skip


def network_of(pages: Path, stored: list[dict[str, Any]], **answers: Answered) -> Network:
    lists = [
        {"listId": one, "name": name, "createdAt": at(0), "createdBy": "user:ada"}
        for one, name in zip(LISTS, ("Readers", "Growers"), strict=True)
    ]
    return Company().network(
        pages,
        "acme:admin",
        **{
            "GET /contacts/lists": lambda _: Answer({"lists": lists}),
            "GET /contacts/segments": lambda _: Answer({"segments": []}),
            "GET /newsletters/lists": lambda _: Answer({"lists": stored}),
            "GET /newsletters/options": lambda _: Answer({"options": OPTIONS}),
            "GET /newsletters": lambda _: Answer({"newsletters": []}),
            **answers,
        },
    )


def check(page: Page) -> None:
    """The page has no barrier, and nothing of it is beside the screen."""
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST


def test_a_public_list_shows_its_addresses_for_readers_and_copies_them(
    opened: Opened, pages: Path
) -> None:
    base = f"/n/acme/{LISTS[0]}"
    paths = {"archive_path": f"{base}/archive", "feed_path": f"{base}/feed.xml"}
    stored = [
        published(0, has_archive=True, **paths),
        published(1, is_open=False, subscribe_path=None),
    ]
    page = opened(network_of(pages, stored), "newsletters/lists")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    page.get_by_role("button", name="what the public sees of “Readers”").click()
    form = page.get_by_role("form")
    for name, path in (
        ("Form to sign up", "subscribe"),
        ("Archive of", "archive"),
        ("RSS", "feed.xml"),
    ):
        shown = form.locator(".setup-copied").filter(has_text=name)
        expect(shown.locator("code")).to_have_text(f"{STAGE}{base[1:]}/{path}")
        expect(shown.get_by_role("button", name=f"Copy: {name}")).to_be_visible()
    check(page)
    page.get_by_role("button", name="what the public sees of “Growers”").click()
    expect(page.get_by_role("form")).to_contain_text("The public sees nothing of this list")


@pytest.mark.parametrize("locale", LOCALES)
def test_a_switch_of_all_newsletters_says_what_it_does_and_is_undone(
    opened: Opened, pages: Path, locale: str
) -> None:
    known = texts(locale)
    stored: dict[str, Any] = {
        "ai": None, "retrieval": {}, "ai_daily_units": 200, "four_eyes": False, "version": 3,
        "check_claims": False, "track_clicks": True, "ses_tenant": False, "ai_version": None,
        "mailbox_providers": {},
    }  # fmt: skip
    puts: list[dict[str, Any]] = []

    def put(call: Call) -> Answer:
        puts.append(dict(call.input))
        assert call.input["version"] == stored["version"]
        stored.update(call.input, version=call.input["version"] + 1)
        return Answer(stored)

    network = network_of(
        pages,
        [],
        **{
            "GET /newsletters/settings": lambda _: Answer(dict(stored)),
            "PUT /newsletters/settings": put,
        },
    )
    page = opened(network, "newsletters/settings")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    four_eyes = known["newsletter.settings.four_eyes"]
    page.get_by_role("listitem").filter(has_text=four_eyes).get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(known["newsletter.settings.effect.four_eyes"])
    check(page)
    dialog.get_by_role("button", name=known["newsletter.settings.turn_on"]).click()
    row = page.get_by_role("listitem").filter(has_text=four_eyes)
    expect(row.locator(".badge")).to_have_text(known["newsletter.settings.on"])
    page.locator(".toast button").first.click()
    expect(row.locator(".badge")).to_have_text(known["newsletter.settings.off"])
    units = page.get_by_role("form", name=known["newsletter.settings.ai_daily_units"])
    units.get_by_role("spinbutton").fill("50")
    units.get_by_role("button", name=known["newsletter.store"]).click()
    expect(units).to_contain_text("50")
    assert [{name: value for name, value in one.items() if name != "version"} for one in puts] == [
        {"four_eyes": True},
        {"four_eyes": False},
        {"ai_daily_units": 50},
    ]


@pytest.mark.parametrize("locale", LOCALES)
def test_the_pace_of_a_mailbox_provider_and_its_hosted_domains_are_stored_and_undone(
    opened: Opened, pages: Path, locale: str
) -> None:
    known = texts(locale)
    stored: dict[str, Any] = {
        "ai": None, "retrieval": {}, "ai_daily_units": 200, "four_eyes": False, "version": 3,
        "check_claims": False, "track_clicks": True, "ses_tenant": False, "ai_version": None,
        "mailbox_providers": {"yahoo": {"per_hour": 60, "domains": []}},
    }  # fmt: skip
    puts: list[dict[str, Any]] = []

    def put(call: Call) -> Answer:
        puts.append(dict(call.input))
        assert call.input["version"] == stored["version"]
        stored.update(call.input, version=call.input["version"] + 1)
        return Answer(stored)

    network = network_of(
        pages,
        [],
        **{
            "GET /newsletters/settings": lambda _: Answer(dict(stored)),
            "PUT /newsletters/settings": put,
        },
    )
    page = opened(network, "newsletters/settings")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    form = page.get_by_role("form", name=known["newsletter.paces"])
    google = form.get_by_role("group", name=known["newsletter.provider.google"])
    google.get_by_label(known["newsletter.paces.per_hour"]).fill("600")
    google.get_by_label(known["newsletter.paces.domains"]).fill("farm.example\nmill.example")
    check(page)
    form.get_by_role("button", name=known["newsletter.paces.store"]).click()
    page.locator(".toast button").first.click()
    expect(google.get_by_role("spinbutton")).to_have_value("")
    yahoo = {"per_hour": 60, "domains": []}
    hosted = {"per_hour": 600, "domains": ["farm.example", "mill.example"]}
    assert [one["mailbox_providers"] for one in puts] == [
        {"google": hosted, "yahoo": yahoo},
        {"yahoo": yahoo},
    ]


@pytest.mark.parametrize("locale", LOCALES)
def test_a_list_gets_a_welcome_mail_on_its_page(opened: Opened, pages: Path, locale: str) -> None:
    known, stored = texts(locale), [published(0)]
    bodies: list[Any] = []

    def put(call: Call) -> Answer:
        bodies.append((call.path["list_id"], dict(call.input)))
        stored[:] = [published(0, welcome=call.input.get("welcome"), version=4)]
        return Answer(stored[0])

    network = network_of(pages, stored, **{"PUT /newsletters/lists/{list_id}": put})
    page = opened(network, "newsletters/lists")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    own = known["newsletter.lists.change_one"].replace("{name}", "Readers")
    page.get_by_role("button", name="Readers").click()
    form = page.get_by_role("form")
    expect(form).to_be_visible()
    check(page)
    assert own.partition("Readers")[0] in str(form.get_attribute("aria-label"))
    form.get_by_label(known["newsletter.issue.subject"]).fill(WELCOME["subject"])
    form.get_by_label(known["newsletter.lists.welcome.text"]).fill(WELCOME["text"])
    form.get_by_role("button", name=known["newsletter.store"], exact=True).press("Enter")
    expect(form).to_be_hidden()

    ((list_id, body),) = bodies
    assert (list_id, body["version"], body["welcome"]) == (LISTS[0], 3, WELCOME)
    assert (body["title"], body["topics"], body.get("reply_to")) == ("Farm News", ["Bees"], None)
    expect(page.get_by_role("cell", name=WELCOME["subject"])).to_be_visible()


def test_a_list_without_subject_and_text_has_no_welcome_mail_and_problems_are_at_their_fields(
    opened: Opened, pages: Path
) -> None:
    stored = [published(0, welcome=WELCOME)]
    bodies: list[Any] = []

    def put(call: Call) -> Answer | Refusal:
        bodies.append(dict(call.input))
        if len(bodies) == 1:
            return Refusal(
                400, "invalid_input", {"sender": "must be of a domain that the company owns"}
            )
        return Answer(published(0, version=4))

    network = network_of(pages, stored, **{"PUT /newsletters/lists/{list_id}": put})
    page = opened(network, "newsletters/lists")
    page.get_by_role("button", name="Readers").click()
    form = page.get_by_role("form")
    subject = form.get_by_label("Subject")
    expect(subject).to_have_value(WELCOME["subject"])
    subject.fill("")
    form.get_by_label("Text, with an empty line between paragraphs").fill("")
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.get_by_role("alert").first).to_contain_text("does not belong to your company")
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form).to_be_hidden()
    assert [one.get("welcome") for one in bodies] == [None, None]


@pytest.mark.parametrize("locale", LOCALES)
def test_a_series_is_made_and_changed_in_a_form(opened: Opened, pages: Path, locale: str) -> None:
    known = texts(locale)
    made: list[dict[str, Any]] = []

    def post(call: Call) -> Answer:
        made.append(dict(call.input))
        return Answer(series(title=call.input["title"]))

    def patch(call: Call) -> Answer:
        made.append(dict(call.input))
        return Answer(series(version=3))

    network = network_of(
        pages,
        [published(0)],
        **{
            "GET /newsletters/series": lambda _: Answer({"series": [series()] if made else []}),
            "POST /newsletters/series": post,
            "PATCH /newsletters/series/{series_id}": patch,
        },
    )
    page = opened(network, "newsletters")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    page.get_by_role("button", name=known["newsletter.series.new"]).click()
    form = page.get_by_role("form")
    title = form.get_by_label(known["newsletter.field.title"])
    title.fill("Monthly")
    check(page)
    form.get_by_role("checkbox").first.check()  # the first audience
    form.get_by_role("group", name=known["newsletter.topics.choose"]).get_by_role(
        "checkbox"
    ).first.check()
    form.get_by_label(known["newsletter.series.unit"]).select_option("months")
    form.get_by_label(known["newsletter.series.day"]).fill("31")
    form.get_by_label(known["newsletter.series.zone"]).fill("Africa/Nairobi")
    form.get_by_label(known["newsletter.series.list"]).select_option(LISTS[0])
    form.get_by_label(known["newsletter.issue.permission"]).fill("You signed up.")
    check(page)
    form.get_by_role("button", name=known["newsletter.series.create"]).click()
    expect(form).to_be_hidden()

    body = made[0]
    assert (body["title"], body["timezone"], body["selected_types"]) == (
        "Monthly",
        "Africa/Nairobi",
        ["Events"],
    )
    rule = {"unit": "months", "every": 1, "time": "09:00", "day_of_month": 31, "weekdays": []}
    assert body["rule"] == rule
    assert body["newsletter"]["target_audience"] == ["farmers"]
    issue = body["issue"]
    assert (issue["list_ids"], issue["sender"], issue["permission_line"]) == (
        [LISTS[0]],
        "news@shop.example",
        "You signed up.",
    )

    page.get_by_role("button", name="Weekly").first.click()
    form = page.get_by_role("form")
    expect(form.get_by_label(known["newsletter.field.title"])).to_have_value("Weekly")
    form.get_by_label(known["newsletter.series.every"]).fill("2")
    form.get_by_role("button", name=known["newsletter.store"], exact=True).click()
    expect(form).to_be_hidden()
    changed = made[1]
    assert (changed["version"], changed["rule"]["every"], changed["rule"]["weekdays"]) == (
        2,
        2,
        [1],
    )
    assert changed.get("issue") is None


@pytest.mark.parametrize("locale", LOCALES)
def test_a_list_is_no_longer_published_after_a_question_and_comes_back_whole_by_an_undo(
    opened: Opened, pages: Path, locale: str
) -> None:
    known = texts(locale)
    before = published(0, welcome=WELCOME, reply_to="desk@shop.example")
    stored, given = [before], list[dict[str, Any]]()

    def remove(_: Call) -> Answer:
        stored.clear()
        given.append({})
        return Answer({"list_id": LISTS[0]})

    def put(call: Call) -> Answer:
        given.append(dict(call.input))
        stored.append(before | {"version": 1})
        return Answer(stored[0])

    one = "/newsletters/lists/{list_id}"
    network = network_of(pages, stored, **{f"DELETE {one}": remove, f"PUT {one}": put})
    page = opened(network, "newsletters/lists")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    change = known["newsletter.lists.change_one"].partition("{")[0].rstrip("“„«")
    hide = page.get_by_role("button", name=known["newsletter.lists.hide"])
    page.get_by_role("button", name=change).first.click()
    hide.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(known["newsletter.lists.hide.about"])
    check(page)
    assert given == []
    dialog.get_by_role("button", name=known["newsletter.lists.hide"]).press("Enter")
    expect(dialog).to_have_count(0)
    undo = {"en": "Undo", "de": "Rückgängig", "ar": "تراجع"}[locale[:2]]
    page.get_by_role("button", name=undo).click()
    expect(page.get_by_role("button", name=undo)).to_have_count(0)
    kept = ("title", "description", "language", "is_open", "has_archive", "topics", "keeps_ip",
            "welcome", "sender", "sender_name", "reply_to", "postal_address")  # fmt: skip
    assert given == [{}, {"version": 0} | {name: before[name] for name in kept}]
