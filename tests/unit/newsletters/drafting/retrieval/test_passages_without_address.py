"""Passages whose knowledge base names no location."""

from newsletters.drafting.retrieval.selection import selected
from shared.ai.retrieval import Passage

TEXTS = (
    "Maize yields rose in all districts last season.",
    "Prices of cattle fell at the coast in October.",
    "The ministry has opened a call for seed growers.",
)


def test_passages_without_an_address_do_not_count_as_one_document() -> None:
    passages = [Passage(text, 0.8, "Notes", "", "", "", "knowledge-base-A") for text in TEXTS]

    chosen = selected({"Research Findings": passages}, 10)

    assert {hit.passage.text for hit in chosen} == set(TEXTS)
