"""
Checks the rules of a template's definition before any call. Pure.

Both providers refuse definitions that break them; checked here, the refusal names the place. Limits are Meta's
("Message templates"; "Time-to-live") and AWS's (service model).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal

from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

type Component = Mapping[str, Any]
type Category = Literal["MARKETING", "UTILITY", "AUTHENTICATION"]
type ParameterFormat = Literal["positional", "named"]
type TemplateType = Literal["custom", "carousel", "catalog", "coupon", "limited_time_offer", "mpm"]
type Problem = tuple[str, str]  # place below the components, rule

LARGEST_DEFINITION_BYTES, LARGEST_UPDATE_BYTES = 6_000, 3_000  # at AWS
DEFAULT_TTL = -1
_TTL = {"AUTHENTICATION": (30, 900), "UTILITY": (30, 43_200), "MARKETING": (43_200, 2_592_000)}
_LONGEST = {"HEADER": 60, "BODY": 1_024, "FOOTER": 60}
_LONGEST_CARD_BODY, _LONGEST_BUTTON, _LONGEST_OFFER = 160, 25, 16
_MOST_BUTTONS, _MOST_CARDS = 10, 10
_VARIABLE = re.compile(r"{{([^{}]*)}}")
_NAME_OF_VARIABLE = re.compile(r"[a-z][a-z0-9_]*")
_FILES = frozenset({"IMAGE", "VIDEO", "DOCUMENT"})
# The component or button that makes a template one of this type.
_MARKS = {
    "carousel": "CAROUSEL",
    "limited_time_offer": "LIMITED_TIME_OFFER",
    "catalog": "CATALOG",
    "coupon": "COPY_CODE",
    "mpm": "MPM",
}


def check(
    components: Sequence[Component], category: str, parameter_format: str = "positional"
) -> None:
    """Raise InvalidInput unless the components can be reviewed as a template of this category."""
    found = list(_problems(components, category, parameter_format, _LONGEST["BODY"]))
    if found:
        raise InvalidInput(
            [
                {"field": f"components.{place}" if place else "components", "problem": problem}
                for place, problem in found
            ]
        )


def check_type(components: Sequence[Component], template_type: TemplateType) -> None:
    """Raise InvalidInput unless the components have what a template of this type has."""
    mark = _MARKS.get(template_type)
    buttons = [button for one in components for button in _list(one, "buttons")]
    kinds = {_kind(one) for one in [*components, *buttons]}
    if mark is not None and mark not in kinds:
        raise _invalid("components", f"a {template_type} template needs {mark}")


def check_ttl(seconds: int | None, category: str, *, may_be_default: bool = False) -> None:
    """Raise InvalidInput unless the time to live is in the range of the category."""
    lowest, highest = _TTL.get(category, (30, 2_592_000))
    if seconds is None or (may_be_default and seconds == DEFAULT_TTL):
        return
    if not lowest <= seconds <= highest:
        problem = f"must be {lowest} to {highest} seconds for {category}"
        raise _invalid("ttlSeconds", problem)


def to_bytes(content: object, largest: int, field: str = "components") -> bytes:
    """Return the JSON for AWS. Raises InvalidInput if it is longer than AWS accepts."""
    raw = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    if len(raw) > largest:
        raise _invalid(field, f"must have at most {largest} bytes as JSON")
    return raw


def _problems(
    components: Sequence[Component], category: str, parameter_format: str, longest_body: int
) -> Iterator[Problem]:
    kinds = [_kind(one) for one in components]
    for index, (kind, component) in enumerate(zip(kinds, components, strict=True)):
        if not kind:
            yield f"{index}.type", "is required"
        elif kinds.index(kind) != index:
            yield f"{index}.type", "must not be there twice"
        elif kind in _LONGEST:
            longest = longest_body if kind == "BODY" else _LONGEST[kind]
            yield from _text(f"{index}", component, kind, longest, parameter_format)
        elif kind == "BUTTONS":
            yield from _buttons(f"{index}.buttons", component)
        elif kind == "CAROUSEL":
            yield from _cards(f"{index}.cards", component, category, parameter_format)
        elif kind == "LIMITED_TIME_OFFER":
            text = (component.get("limited_time_offer") or {}).get("text", "")
            if len(str(text)) > _LONGEST_OFFER:
                place = f"{index}.limited_time_offer.text"
                yield place, f"must have at most {_LONGEST_OFFER} characters"
    body = next((one for one in components if _kind(one) == "BODY"), None)
    # The text of an authentication template is the provider's own.
    if body is None or (not body.get("text") and category != "AUTHENTICATION"):
        yield "", "must have a BODY with a text"


def _text(
    place: str, component: Component, kind: str, longest: int, parameter_format: str
) -> Iterator[Problem]:
    text = str(component.get("text") or "")
    if len(text) > longest:
        yield f"{place}.text", f"must have at most {longest} characters"
    if kind == "HEADER" and str(component.get("format", "TEXT")).upper() in _FILES:
        if not _list(component.get("example"), "header_handle"):
            yield f"{place}.example.header_handle", "is required: a sample of the file"
        return
    names = list(dict.fromkeys(one.strip() for one in _VARIABLE.findall(text)))
    if kind == "FOOTER":
        if names:
            yield f"{place}.text", "must have no variables"
        return
    wrong = _wrong_names(names, parameter_format)
    if wrong:
        yield f"{place}.text", wrong
    elif len(_examples(component, kind, parameter_format)) != len(names):
        yield f"{place}.example", f"must have an example for each of the {len(names)} variables"


def _wrong_names(names: list[str], parameter_format: str) -> str | None:
    if parameter_format == "named":
        if not all(_NAME_OF_VARIABLE.fullmatch(name) for name in names):
            return "variables must be named by lowercase letters, digits and underscores"
    elif sorted(names, key=lambda name: (len(name), name)) != [
        str(number + 1) for number in range(len(names))
    ]:
        return "variables must be numbered from {{1}} without gaps"
    return None


def _examples(component: Component, kind: str, parameter_format: str) -> list[Any]:
    example = component.get("example")
    if parameter_format == "named":
        return _list(example, f"{kind.lower()}_text_named_params")
    given = _list(example, f"{kind.lower()}_text")
    # Of the body it is a list in a list, of the header a list.
    return given[0] if kind == "BODY" and given and isinstance(given[0], list) else given


def _buttons(place: str, component: Component) -> Iterator[Problem]:
    buttons = _list(component, "buttons")
    if not 1 <= len(buttons) <= _MOST_BUTTONS:
        yield place, f"must be 1 to {_MOST_BUTTONS}"
    for index, button in enumerate(buttons):
        if len(str(button.get("text") or "")) > _LONGEST_BUTTON:
            yield f"{place}.{index}.text", f"must have at most {_LONGEST_BUTTON} characters"
        has_variable = _VARIABLE.search(str(button.get("url") or "")) is not None
        if (has_variable or _kind(button) == "COPY_CODE") and not button.get("example"):
            yield f"{place}.{index}.example", "is required"


def _cards(
    place: str, component: Component, category: str, parameter_format: str
) -> Iterator[Problem]:
    cards = _list(component, "cards")
    if not 2 <= len(cards) <= _MOST_CARDS:  # noqa: PLR2004 - the provider's least number of cards
        yield place, f"must be 2 to {_MOST_CARDS}"
    shapes = {tuple(_kind(one) for one in _list(card, "components")) for card in cards}
    if len(shapes) > 1:
        yield place, "must all have the same components"
    for index, card in enumerate(cards):
        inside = f"{place}.{index}.components"
        components = _list(card, "components")
        found = _problems(components, category, parameter_format, _LONGEST_CARD_BODY)
        for below, problem in found:
            # A card may do without a text.
            if below or any(_kind(one) == "BODY" for one in components):
                yield f"{inside}.{below}", problem


def _list(component: Any, name: str) -> list[Any]:  # noqa: ANN401 - JSON of a caller
    found = component.get(name) if isinstance(component, dict) else None
    return found if isinstance(found, list) else []


def _kind(component: Any) -> str:  # noqa: ANN401 - JSON of a caller
    return str(component.get("type") or "").upper() if isinstance(component, dict) else ""


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
