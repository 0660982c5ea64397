"""The four items are stored exactly as the contract describes them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from newsletters.store.items import Draft, Outline
from tests.integration.newsletters.deployment import Deployment, draft

TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)
STEPS = ("TOPICS", "OUTLINE", "DRAFT")


def test_the_keys_and_the_index_are_those_of_the_contract(newsletters: Deployment) -> None:
    code = newsletters.complete()

    assert re.fullmatch(r"NL-20261102-[0-9A-HJKMNP-TV-Z]{4}", code)
    partition = f"NEWSLETTER#{code}"
    assert sorted(sort for pk, sort in newsletters.items() if pk == partition) == sorted(
        ["METADATA", *STEPS]
    )
    head = newsletters.item(partition, "METADATA")
    assert (head["GSI1PK"]["S"], head["GSI1SK"]["S"]) == (
        "USER#api-key:ann",
        "NEWSLETTER#2026-11-02T12:00:00Z",
    )
    assert head["newsletterCode"] == {"S": code}
    for sort in STEPS:
        assert not {"GSI1PK", "GSI1SK", "ttl"} & newsletters.item(partition, sort).keys()
    assert "ttl" not in head


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("topics", {"retrieval_error": {"NULL": True}, "retrieved_content": {"L": []}}),
        (
            "outline",
            {
                "outline_error": {"NULL": True},
                "sections": {"L": []},
                "user_modifications": {
                    "M": {
                        "items_added": {"L": []},
                        "items_removed": {"L": []},
                        "items_edited": {"L": []},
                    }
                },
            },
        ),
        (
            "draft",
            {
                "draft_error": {"NULL": True},
                "exports": {"M": {}},
                "sections": {"M": {}},
                "generated_content": {"S": ""},
                "user_edits": {"S": ""},
                "has_user_edits": {"BOOL": False},
            },
        ),
    ],
)
def test_the_first_write_of_a_step_has_its_empty_lists_and_maps_and_a_null_error(
    newsletters: Deployment, name: Any, attributes: dict[str, Any]
) -> None:
    code = newsletters.create()

    newsletters.start(code, name)

    item = newsletters.item(f"NEWSLETTER#{code}", name.upper())
    assert {one: item[one] for one in attributes} == attributes
    assert item["version"] == {"N": "0"}


def test_moments_have_seconds_and_scores_are_exact_decimals(newsletters: Deployment) -> None:
    code = newsletters.complete()
    newsletters.start(code)

    for item in newsletters.items().values():
        for name, value in item.items():
            if name.endswith("_at"):
                assert TIME.fullmatch(value["S"]), name
    topics = newsletters.item(f"NEWSLETTER#{code}", "TOPICS")
    assert topics["retrieved_content"]["L"][0]["M"]["score"] == {"N": "0.8913"}
    assert newsletters.table.get({"PK": f"NEWSLETTER#{code}", "SK": "TOPICS"}) is not None


def test_a_generation_that_completes_again_keeps_the_error_as_null(
    newsletters: Deployment,
) -> None:
    code = newsletters.complete()
    newsletters.write(code, draft(code, "# Another text"))

    item = newsletters.item(f"NEWSLETTER#{code}", "DRAFT")
    assert item["draft_error"] == {"NULL": True}
    assert item["version"] == {"N": "2"}


def test_attributes_of_a_newer_version_survive_a_write(newsletters: Deployment) -> None:
    code = newsletters.complete()
    for sort, kind in (("OUTLINE", Outline), ("DRAFT", Draft)):
        newsletters.table.update(kind.key(code), put={"of_a_newer_version": {"a": [1]}})
        before = newsletters.read(code)
        step = before.outline if sort == "OUTLINE" else before.draft
        assert step is not None

        newsletters.write(code, step)

        item = newsletters.item(f"NEWSLETTER#{code}", sort)
        assert item["of_a_newer_version"] == {"M": {"a": {"L": [{"N": "1"}]}}}
