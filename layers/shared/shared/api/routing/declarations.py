"""Reads the input model and the result of a route or an action from the signature of its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from shared.api.cursors import Page


@dataclass(frozen=True, slots=True)
class Signature[R]:
    """The models that a function names. *returns_result*: it may return a result, not only a function."""

    input_model: type[BaseModel]
    result: type[R]
    returns_result: bool


def signature_of[R](act: Callable[..., Any], request: type, result: type[R]) -> Signature[R]:
    """
    Return the signature of *act*: `(Request[ThingsInput], ...) -> ThingsView`, if *request* is `Request`.

    The return type is a subclass of *result*, a `Page` of it, a `Callable` that returns one of these, or a union.
    Raises TypeError for any other signature, and if one of its names is only imported for type checking.
    """
    try:
        hints = get_type_hints(act)
    except (AttributeError, NameError) as unknown:
        raise TypeError(f"{_name(act)}: a type is not imported at runtime: {unknown}") from unknown
    returned = hints.pop("return", None)
    members = get_args(returned) if get_origin(returned) in {Union, UnionType} else (returned,)
    results = {_result(member) for member in members}
    first = next(iter(hints.values()), None)
    if get_origin(first) is not request or not _is_subclass(model := get_args(first)[0], BaseModel):
        raise TypeError(f"{_name(act)}: the first parameter must be {request.__name__}[a model]")
    if len(results) != 1 or not _is_subclass(shown := results.pop(), result):
        raise TypeError(f"{_name(act)}: the return type must name one {result.__name__}")
    return Signature(model, shown, any(get_origin(each) is not Callable for each in members))


def _result(returned: Any) -> Any:  # noqa: ANN401 - a type of any form
    """Return the result of a page, or of a function that returns a result or a page."""
    while get_origin(returned) in {Callable, Page}:
        returned = get_args(returned)[-1]
    return returned


def _is_subclass(found: Any, base: type) -> bool:  # noqa: ANN401 - a type of any form
    return isinstance(found, type) and issubclass(found, base)


def _name(act: Callable[..., Any]) -> str:
    return f"{act.__module__}.{act.__qualname__}"
