"""Few combinations of values in which every allowed pair of values of two parameters occurs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

type Row = dict[str, str]
type Pair = tuple[tuple[str, str], tuple[str, str]]


def covering(
    values: Mapping[str, Sequence[str]], is_allowed: Callable[[Mapping[str, str]], bool]
) -> list[Row]:
    """
    Return complete rows that cover all pairs. *is_allowed* refuses parts of rows; a pair that it refuses is left out.

    Greedy and deterministic: each row begins with an uncovered pair, and every further parameter gets the value with
    the most uncovered pairs. A pair that fits into no complete row is an AssertionError.
    """
    missing = pairs_of(values, is_allowed)
    rows: list[Row] = []
    while missing:
        row = dict(next(iter(missing)))
        for name in sorted(values, key=lambda one: -len(values[one])):
            if name not in row:
                row[name] = _best(name, values[name], row, missing, is_allowed)
        covered = {pair: None for pair in _pairs_in(row) if pair in missing}
        assert covered, f"no complete row has {next(iter(missing))}"
        missing = {pair: None for pair in missing if pair not in covered}
        rows.append({name: row[name] for name in values})
    return rows


def pairs_of(
    values: Mapping[str, Sequence[str]], is_allowed: Callable[[Mapping[str, str]], bool]
) -> dict[Pair, None]:
    """Return all allowed pairs, in order."""
    return {
        ((one, first), (other, second)): None
        for one, other in combinations(values, 2)
        for first, second in product(values[one], values[other])
        if is_allowed({one: first, other: second})
    }


def _best(
    name: str,
    values: Sequence[str],
    row: Row,
    missing: Mapping[Pair, None],
    is_allowed: Callable[[Mapping[str, str]], bool],
) -> str:
    fitting = [value for value in values if is_allowed(row | {name: value})]
    assert fitting, f"no value of {name} fits {row}"

    def gain(value: str) -> int:
        new = [((name, value), other) for other in row.items()]
        return sum((a, b) in missing or (b, a) in missing for a, b in new)

    return max(fitting, key=gain)


def _pairs_in(row: Row) -> list[Pair]:
    return [pair for a, b in combinations(row.items(), 2) for pair in ((a, b), (b, a))]
