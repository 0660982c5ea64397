"""A step shows what the model has cost in its jobs, and a newsletter the sum of its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.ai.spending import prices
from tests.integration.newsletters.api.author import ONE
from tests.integration.newsletters.api.test_settings_versions import put
from tests.simulation.newsletters.system import MODEL

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

PRICE = {"input": 2.0, "output": 10.0}  # micro-dollars a token


def runs(author: Author, step: str, **given: object) -> int:
    """Run a step; return the micro-dollars of its job's tokens by `PRICE`."""
    author.do("POST", f"{ONE}/{step}/start", given)
    author.system.settle()
    job = author.system.row(f"JOB#{step}", "NLWORK")
    return round(2 * int(job["tokens_in"]) + 10 * int(job["tokens_out"]))


def test_a_step_and_its_newsletter_show_what_the_model_has_cost_by_the_price_of_the_settings(
    author: Author,
) -> None:
    author.at("retrieved")
    put(author, ai=MODEL | {"price": PRICE})

    outline, draft = runs(author, "outline"), runs(author, "draft")

    assert outline > 0
    assert draft > 0
    whole = author.whole
    assert whole["topics"].get("ai_dollars") is None
    assert whole["outline"]["ai_dollars"] == prices.dollars(outline)
    assert whole["draft"]["ai_dollars"] == prices.dollars(draft)
    assert whole["ai_dollars"] == prices.dollars(outline + draft)


def test_a_step_that_is_generated_again_adds_its_cost(author: Author) -> None:
    author.at("retrieved")
    put(author, ai=MODEL | {"price": PRICE})

    both = runs(author, "outline") + runs(author, "outline")

    assert author.whole["outline"]["ai_dollars"] == prices.dollars(both)


def test_an_edit_of_a_step_keeps_its_cost(author: Author) -> None:
    author.at("planned")
    before = author.whole["outline"]["ai_dollars"]
    outline = author.whole["outline"]
    sections = [{"id": one["id"], "name": one["name"], "items": []} for one in outline["sections"]]

    author.do("PUT", f"{ONE}/outline", {"version": outline["version"], "sections": sections})

    assert float(before) > 0
    assert author.whole["outline"]["ai_dollars"] == before


def test_a_model_without_a_known_price_shows_no_dollars_and_not_zero(author: Author) -> None:
    author.at("retrieved")
    put(author, ai=MODEL | {"model": "made-up"})

    runs(author, "outline")

    assert author.whole["outline"].get("ai_dollars") is None
    assert author.whole.get("ai_dollars") is None
