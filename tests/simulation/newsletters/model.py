"""Answers of a model to the questions of newsletters: they follow all rules, and depend on the question only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from newsletters.drafting.prompts import OUTLINE, SECTION, needs_references

if TYPE_CHECKING:
    from collections.abc import Sequence


def answer(schema_name: str, texts: Sequence[str]) -> dict[str, Any] | None:
    """Return the answer to the first of the user's messages *texts*; None for any other schema."""
    match schema_name:
        case name if name == OUTLINE:
            return _outline(json.loads(texts[0]))
        case name if name == SECTION:
            return _section(json.loads(texts[0]))
    return None


def _outline(asked: dict[str, Any]) -> dict[str, Any]:
    sections = {}
    for planned in asked["plan"]:
        kind = planned["section"]
        passages = [one for one in asked["passages"] if one["section"] == kind]
        items: list[dict[str, Any]]
        if needs_references(kind):
            items = [
                {"title": one["title"], "description": "", "refs": [one["label"]]}
                for one in passages[: planned["items"]]
            ]
        else:
            # The schema has no labels for a section without passages.
            items = [{"title": planned["name"], "description": "In short."}]
        sections[kind] = {"name": planned["name"], "items": items}
    return sections


def _section(asked: dict[str, Any]) -> dict[str, Any]:
    if not needs_references(asked["section"]["kind"]):
        return {"blocks": [{"kind": "paragraph", "text": "This is what you should know."}]}
    texts = {one["label"]: one["text"] for one in asked["passages"]}
    blocks = [
        {"kind": "paragraph", "text": texts[item["refs"][0]][:400], "refs": item["refs"]}
        for item in asked["items"]
    ]
    return {"blocks": blocks}
