"""Storage of provider fields that have no field in an event, limited in size."""

from collections.abc import Mapping
from typing import Any

from shared.aws.sqs_fifo import to_json

MOST_BYTES = 8 << 10
LEFT_OUT = "parley_left_out"


def bounded(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that fit into 8 KB of JSON, short ones first; `parley_left_out` counts the others."""
    sizes = {name: len(to_json({name: value})) for name, value in fields.items()}
    kept: dict[str, Any] = {}
    left = MOST_BYTES - len(to_json({LEFT_OUT: len(fields)}))
    for name in sorted(sizes, key=lambda name: (sizes[name], name)):
        left -= sizes[name]
        if left < 0:
            return kept | {LEFT_OUT: len(fields) - len(kept)}
        kept[name] = fields[name]
    return kept
