"""Structural checks of a form's JSON."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each
from whatsapp.actions.flows.flow_json import problems


def navigate(to: str) -> dict[str, Any]:
    return {
        "type": "Footer",
        "on-click-action": {"name": "navigate", "next": {"type": "screen", "name": to}},
    }


def screen(name: str, *children: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "title": name, "layout": {"type": "X", "children": list(children)}} | more


def form(*screens: Any, **more: Any) -> dict[str, Any]:
    return {"version": "7.0", "screens": list(screens)} | more


GOOD = form(screen("FIRST", navigate("LAST")), screen("LAST", terminal=True))


def paths(flow: dict[str, Any]) -> list[str]:
    return [one.path for one in problems(flow)]


def test_a_sound_form_has_no_problems() -> None:
    assert problems(GOOD) == []
    with_endpoint = GOOD | {
        "data_api_version": "3.0",
        "routing_model": {"FIRST": ["LAST"], "LAST": []},
    }
    assert problems(with_endpoint) == []


@each(
    ("flow", "path"),
    [
        (GOOD | {"version": 7}, "version"),
        (GOOD | {"version": ""}, "version"),
        (GOOD | {"data_api_version": "1.0", "routing_model": {}}, "data_api_version"),
        (GOOD | {"data_api_version": "3.0"}, "routing_model"),
        (GOOD | {"routing_model": []}, "routing_model"),
        (GOOD | {"routing_model": {"OTHER": []}}, "routing_model"),
        (GOOD | {"routing_model": {"FIRST": ["OTHER"]}}, "routing_model.FIRST"),
        (GOOD | {"routing_model": {"FIRST": "LAST"}}, "routing_model.FIRST"),
        (form(), "screens"),
        (form(screen("ONE")), "screens"),
        (form(screen("ONE", terminal=True), screen("ONE")), "screens"),
        (form(screen("ONE-1", terminal=True)), "screens.0.id"),
        (form(screen("SUCCESS", terminal=True)), "screens.0.id"),
        (form("ONE", screen("ONE", terminal=True)), "screens.0"),
        (form({"id": "ONE", "terminal": True}), "screens.0.layout"),
        (form(screen("ONE", navigate("TWO"), terminal=True)), "screens.0.layout.children.0.on-click-action.next.name"),
    ],
)  # fmt: skip
def test_a_broken_rule_is_named_with_its_path(flow: dict[str, Any], path: str) -> None:
    assert paths(flow) == [path]


@given(
    st.dictionaries(
        st.sampled_from(["version", "screens", "routing_model", "data_api_version"]),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["id", "layout", "next", "name"]), inner, max_size=3),
        ),
    )
)  # fmt: skip
def test_any_json_is_checked_without_an_exception(flow: dict[str, Any]) -> None:
    assert len(problems(flow)) >= 1
