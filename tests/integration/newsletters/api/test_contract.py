"""After a whole newsletter all stored items follow the contract, and sizes beyond its limits are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.newsletters.api.author import ONE
from tests.integration.newsletters.contract import contract, mismatched_parts

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

OURS = ("NEWSLETTER#", "NL")


def test_after_a_whole_newsletter_every_item_has_the_attributes_of_the_contract(
    author: Author,
) -> None:
    facts = contract()["items"]
    author.at("drafted")
    author.patch(description="For the field", user_email="ann@field.example", user_name="Ann")
    author.save_draft(f"{author.whole['draft']['content']}\n\nOne more line.")
    author.export("html")

    stored = author.system.items()
    partition = f"NEWSLETTER#{author.system.code} "
    items = {k.removeprefix(partition): v for k, v in stored.items() if k.startswith(partition)}

    assert [key for key in stored if not key.startswith(OURS)] == []
    assert items.keys() == facts.keys()
    assert {
        sort: found
        for sort, attributes in facts.items()
        if (found := mismatched_parts(items[sort], attributes, sort))
    } == {}


def test_two_hundred_topics_are_refused_and_none_is_selected(author: Author) -> None:
    author.at("created")
    custom = [{"name": f"Topic {n}", "query": f"word {n}"} for n in range(200)]
    body = {"version": 0, "selected_types": [one["name"] for one in custom]}

    found = author.problems("PUT", f"{ONE}/topics", {**body, "custom_topics": custom})

    assert found.keys() == {"selected_types", "custom_topics"}
