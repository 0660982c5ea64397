"""
Tables of cases that run in one test, which reports every case that fails.

`@each` is for rules that take microseconds: a test of its own costs pytest and xdist five milliseconds, in each process
that collects it too. Cases that need fixtures of their own, or that change what they share, stay with
`pytest.mark.parametrize`.
"""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_PARAM = type(pytest.param())


def each(
    names: str | Sequence[str],
    rows: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """
    Call the decorated test for each row, as `pytest.mark.parametrize` does; several of them combine in the same way.

    *ids* names the rows in the report: a function of a row's values, or one name for each row. Raises ValueError for
    an empty table, and for a row that has marks or another length than *names*.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    is_one = isinstance(names, str) and len(wanted) == 1
    table = [_unmarked(row, is_one=is_one) for row in rows]
    cases = [dict(zip(wanted, values, strict=True)) for values, _ in table]
    if not cases:
        raise ValueError(f"a table of {wanted} has no rows")
    labels = _labels(cases, [name for _, name in table], ids)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**given: Any) -> None:
            failures = [
                failure
                for case, label in zip(cases, labels, strict=True)
                if (failure := _failure(test, given | case, label)) is not None
            ]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} cases failed", failures)

        signature = inspect.signature(test)
        left = [entry for name, entry in signature.parameters.items() if name not in wanted]
        if len(left) != len(signature.parameters) - len(wanted):
            raise ValueError(f"{test.__name__} does not take all of {wanted}")
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined] # read by inspect
        return run

    return decorate


def _unmarked(row: Any, *, is_one: bool) -> tuple[Sequence[Any], str | None]:
    """The values of a row, and its name if it is a `pytest.param`. *is_one*: the row is one value."""
    if not isinstance(row, _PARAM):
        return ([row] if is_one else row), None
    if row.marks:
        raise ValueError("a row has no marks: they belong to tests")
    return row.values, None if row.id is None else str(row.id)


def _labels(cases: list[dict[str, Any]], own: list[str | None], ids: Any) -> list[str]:
    if ids is None:
        found = [", ".join(f"{name}={value!r}" for name, value in case.items()) for case in cases]
    elif callable(ids):
        found = ["-".join(str(ids(value)) for value in case.values()) for case in cases]
    else:
        found = [str(label) for _, label in zip(cases, ids, strict=True)]
    return [label if name is None else name for name, label in zip(own, found, strict=True)]


def _failure(test: Callable[..., None], values: dict[str, Any], label: str) -> BaseException | None:
    try:
        test(**values)
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - the other cases run first
        error.add_note(f"case: {label[:1_000]}")
        return error
    return None
