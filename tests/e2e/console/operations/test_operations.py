"""The operations page of the deployed stack, used with a browser."""

from __future__ import annotations

import time
from http import HTTPStatus

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.e2e.console.conftest import PATIENCE_MS, Visit, http

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture(autouse=True)
def patience() -> None:
    expect.set_options(timeout=PATIENCE_MS)


def test_an_operator_sees_the_deployment_and_no_part_has_barriers(
    visit_of_operator: Visit,
) -> None:
    visit, page = visit_of_operator, visit_of_operator.page
    visit.sign_in()
    page.get_by_role("link", name="Operations").click()
    first = page.locator(".ops-section").first
    expect(first.get_by_role("heading")).to_have_text("Needs attention now")
    expect(first.get_by_role("status")).not_to_contain_text("could be read")
    queue = page.get_by_role("row").filter(has_text="richpanel-live.fifo")
    expect(queue.get_by_role("cell").nth(1)).to_have_text("0")

    parts = page.get_by_role("navigation", name="Parts of operations").get_by_role("link")
    names = parts.all_inner_texts()
    assert len(names) == 25
    for name in names:
        parts.filter(has_text=name).click()
        expect(parts.filter(has_text=name)).to_have_attribute("aria-current", "page")
        expect(page.get_by_role("heading", level=2).first).to_be_visible()
        expect(page.locator(".ops-section[aria-busy=true]")).to_have_count(0)
        assert barriers(page) == [], name
        assert page.locator(".notice-error").all_inner_texts() == [], name
    assert visit.violations == []


def test_a_supervisor_does_not_see_the_page(visit: Visit) -> None:
    visit.sign_in()

    expect(visit.page.get_by_role("link", name="Operations")).to_have_count(0)
    visit.page.goto(f"{visit.page.url.partition('#')[0]}#/operations")
    expect(visit.page.get_by_role("main")).to_contain_text("administrators and operators")


def test_an_administrator_sees_the_numbers_and_changes_a_profile(
    visit_of_operator: Visit,
) -> None:
    visit, page = visit_of_operator, visit_of_operator.page
    visit.sign_in()
    page.get_by_role("link", name="Operations").click()
    page.get_by_role("link", name="WhatsApp numbers").click()
    number = page.get_by_role("region", name="+1 555-078-3881", exact=True)
    expect(number).to_contain_text("May send")
    number.get_by_role("button", name="Ask the provider").click()
    expect(number.get_by_role("status")).to_have_text("The provider says: it may send.")

    number.get_by_role("button", name="Public profile").click()
    line = f"Bicycles since {time.time_ns()}"
    number.get_by_label("Status line").fill(line)
    number.get_by_role("button", name="Store").click()
    expect(page.get_by_text("The profile is stored at WhatsApp")).to_be_visible()
    number.get_by_role("button", name="Public profile").click()
    number.get_by_role("button", name="Public profile").click()
    expect(number.get_by_label("Status line")).to_have_value(line)

    number.get_by_role("button", name="Links and QR codes").click()
    message = f"I want a bell {time.time_ns()}"
    number.get_by_role("form", name="New link").get_by_label("Message").fill(message)
    number.get_by_role("button", name="Create the code").click()
    code = number.get_by_role("form", name=f"Code: {message}")
    expect(code).to_contain_text("https://wa.me/message/")
    assert barriers(page) == []
    code.get_by_label("Message").fill(f"{message}, red")
    code.get_by_role("button", name="Store").click()
    changed = number.get_by_role("form", name=f"Code: {message}, red")
    changed.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(changed).to_have_count(0)

    # Other tests need the number as it is: the change is only looked at.
    expect(number).to_contain_text("Who answersPeople")
    number.get_by_role("button", name="Let the assistant answer").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("within a minute")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert barriers(page) == []
    assert visit.violations == []


def test_an_operator_adds_a_domain_and_sees_its_dns_records(visit_of_operator: Visit) -> None:
    visit, page = visit_of_operator, visit_of_operator.page
    visit.sign_in()
    page.get_by_role("link", name="Operations").click()
    page.get_by_role("link", name="E-mail domains").click()
    form = page.get_by_role("form", name="Add a domain")
    form.get_by_label("Domain").fill("gmail.com")
    form.get_by_role("button", name="Add").click()
    expect(form).to_contain_text("belongs to a mailbox provider")
    expect(form.get_by_label("Domain")).to_have_value("gmail.com")

    domain = f"d{time.time_ns()}.example"
    form.get_by_label("Domain").fill(domain)
    form.get_by_role("button", name="Add").click()
    records = page.get_by_role("region", name=domain, exact=True)
    expect(records).to_contain_text("SES sends mails of this domain.")
    expect(records.get_by_role("row").filter(has_text="Signature (DKIM)")).to_have_count(3)
    expect(records.get_by_role("row").filter(has_text="DKIM").first).to_contain_text("found")
    expect(records).to_contain_text(f"bounce.{domain}")
    assert barriers(page) == []
    assert visit.violations == []


def test_an_administrator_creates_a_key_that_is_shown_once_and_revokes_it(
    visit_of_operator: Visit,
) -> None:
    visit, page = visit_of_operator, visit_of_operator.page
    visit.sign_in()
    page.get_by_role("link", name="Operations").click()
    page.get_by_role("link", name="API keys").click()
    name = f"till {time.time_ns()}"
    form = page.get_by_role("form", name="New key")
    form.get_by_label("What the key is for").fill(name)
    form.get_by_label("read the audit log").check()
    form.get_by_role("button", name="Create the key").click()
    page.get_by_role("button", name="Show: Key").click()
    key = page.locator("code", has_text="pk_").inner_text()
    assert status_with(visit, key) == HTTPStatus.OK
    assert barriers(page) == []

    page.get_by_role("button", name="I have copied it").click()
    expect(page.locator("body")).not_to_contain_text("pk_")
    page.get_by_role("button", name=f"Replace: {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Replace").click()
    page.get_by_role("button", name="Show: Key").click()
    successor = page.locator("code", has_text="pk_").inner_text()
    assert status_with(visit, successor) == status_with(visit, key) == HTTPStatus.OK
    page.get_by_role("button", name="I have copied it").click()
    old = page.get_by_role("row").filter(has_text=f"replaced by {successor.split('_')[1]}")
    expect(old).to_contain_text(time.strftime("%Y", time.gmtime()))
    rows = page.get_by_role("row").filter(has_text=name)
    expect(rows).to_have_count(2)
    new = rows.filter(has_not_text="replaced by")
    for row, secret in ((old, key), (new, successor)):
        row.get_by_role("button", name=f"Revoke: {name}").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(row).to_contain_text("revoked")
        assert status_with(visit, secret) == HTTPStatus.UNAUTHORIZED
    assert visit.violations == []


def status_with(visit: Visit, key: str) -> int:
    """The status of a call with a key."""
    url = f"{visit.stack.api_url}/operations/actions"
    status: int = http.request("GET", url, headers={"x-api-key": key}).status
    return status
