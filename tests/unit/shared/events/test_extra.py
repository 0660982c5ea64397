"""Unknown fields are stored, up to a limit."""

import json

from shared.events.exchange import bounded_extra


def test_values_within_the_limit_are_unchanged() -> None:
    fields = {"FromCity": "", "Referral": "ä" * 100, "Repeated": ["a", "b"]}

    assert bounded_extra(fields) == fields


def test_the_longest_values_are_omitted_and_counted() -> None:
    fields = {"short": "a", "long": "x" * 9_000, "longer": "x" * 10_000}

    assert bounded_extra(fields) == {"short": "a", "parley_left_out": 2}


def test_no_fields_can_grow_beyond_eight_kilobytes_of_json() -> None:
    fields = {f"field {n}": "ж😀\x00" * (n % 40) for n in range(2_000)}

    kept = bounded_extra(fields)

    assert len(json.dumps(kept, separators=(",", ":"))) <= 8_192
    assert kept["parley_left_out"] == 2_000 - (len(kept) - 1)
