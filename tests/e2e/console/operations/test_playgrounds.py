"""What administrators try with the draft of a version, keep as a scenario, and require of versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from events.conversations import sample_data
from events.conversations.recruiting import project
from local.stack.seed import put_project
from tests.e2e.console.conftest import PATIENCE_MS, visit_of, with_roles

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
OWN = "pi-aaa-031"


def test_an_administrator_is_told_that_an_answer_is_kept_as_a_scenario_and_requires_the_set(
    context: BrowserContext, deployed: Deployed
) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    put_project(deployed.stack, project() | {"project_id": OWN})
    email = with_roles(deployed, "rita@example.com", "admin", company=sample_data.COMPANY)
    visit = visit_of(context, deployed, email)
    page = visit.page
    visit.sign_in()
    page.goto(f"{page.url.partition('#')[0]}#/operations/projects")
    page.get_by_role("combobox", name="Project").select_option(OWN)
    begin = page.get_by_role("button", name="Change the settings")
    playground = page.get_by_role("region", name="Playground", exact=True)
    expect(begin.or_(playground).first).to_be_visible()
    if begin.is_visible():
        begin.click()

    playground.get_by_label("Message of the customer").fill("Which shift would it be?")
    playground.get_by_role("button", name="Ask the model").click()
    expect(playground.get_by_text("How it came to this")).to_be_visible()
    playground.get_by_role("button", name="Keep as a scenario").click()
    expect(page.get_by_text("Kept in the set")).to_be_visible()

    sets = page.get_by_role("region", name="Sets of scenarios", exact=True)
    sets.get_by_role("button", name="Require before going live").click()
    expect(sets.get_by_text("gate", exact=True)).to_be_visible()
