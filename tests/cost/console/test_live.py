"""The calculated costs of live updates, as docs/costs.md has them."""

from shared.inbox.live.posts import MOST_AT_ONCE
from tests.cost.console import live
from tests.template import ROOT


def test_the_page_has_the_calculated_table() -> None:
    assert live.markdown() in (ROOT / "docs" / "costs.md").read_text()


def test_a_day_of_an_agent_costs_cents_in_a_company_of_any_size() -> None:
    assert all(live.day(agents).sum < 0.15 for agents in (1, 10, 100, 1_000, 2_000))


def test_no_one_who_is_connected_is_left_out_of_a_batch_for_lack_of_time() -> None:
    # Posts of a batch end within the limit for a thousand connections.
    assert 1_000 / MOST_AT_ONCE * live.POST_SECONDS < 3
