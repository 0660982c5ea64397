"""The attributes of the four items, as the contract describes them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.template import ROOT

CONTRACT = ROOT.parent / "shared" / "contracts" / "newsletters.yaml"
# Optional in the contract's examples.
OPTIONAL = {"rag_reference_id"}
KINDS = {
    "S or NULL": {"S", "NULL"},
    **{name: {name} for name in ("S", "N", "L", "M", "BOOL")},
}  # of other texts, which name values: S


def contract() -> dict[str, Any]:
    if not CONTRACT.exists():
        pytest.skip(f"no contract at {CONTRACT}; the other tests name its facts")
    loaded: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())
    return loaded


def mismatches(value: dict[str, Any], wanted: Any, place: str) -> list[str]:
    """The places at which a stored value does not have the type, range or parts that the contract names."""
    ((kind, content),) = value.items()
    if isinstance(wanted, str):
        return [] if kind in KINDS.get(wanted, {"S"}) else [f"{place}: {kind}"]
    is_right = (
        kind == wanted.get("type", kind)
        and content in wanted.get("enum", [content])
        and ("range" not in wanted or wanted["range"][0] <= int(content) <= wanted["range"][1])
    )
    found = [] if is_right else [f"{place}: {kind} {content}"]
    if "of" in wanted:
        entries = content if kind == "L" else content.values()
        assert entries, f"{place}: no entry to compare"
        for at, entry in enumerate(entries):
            found += mismatched_parts(entry["M"], wanted["of"], f"{place}.{at}")
    elif "type" not in wanted:
        found += mismatched_parts(content, wanted, place)
    return found


def mismatched_parts(part: dict[str, Any], wanted: dict[str, Any], place: str) -> list[str]:
    """The mismatches of the attributes of a map."""
    absent = [f"{place}.{name}: absent" for name in wanted.keys() - part.keys() - OPTIONAL]
    return absent + [
        one
        for name in wanted.keys() & part.keys()
        for one in mismatches(part[name], wanted[name], f"{place}.{name}")
    ]
