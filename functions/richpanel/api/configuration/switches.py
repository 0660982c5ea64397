"""Reads and sets the switches for operators. New values are validated with the parser that the worker uses."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from richpanel.api.access import ApiDependencies, Instruction, log_change, write_audit_row
from richpanel.api.views import ChangedSwitchesView, StandingView, SwitchesView, action_view
from richpanel.decisions.switches import Switches, SwitchInvalid, read_switch, read_switches
from richpanel.decisions.templates.catalogue import templates
from richpanel.store import audits
from richpanel.store.items import AuditAction
from richpanel.worker.audit import failed
from shared.api.errors import InvalidInput
from shared.aws import observation
from shared.policy.kill_switches import SwitchNotSet

NAMES = tuple(field.name for field in fields(Switches))
CLOSED = Switches()
CHANGES_SHOWN = 50
_NO_TEMPLATE = "must name only templates of the catalogue that may be sent automatically"


def shown(deps: ApiDependencies) -> SwitchesView:
    """
    Return each switch's current value. If they cannot be read, none has a text and all are closed.

    The changes are the changes made over the admin API, newest first: switches set, risks cleared, conversations erased
    or replayed, dead letters redriven.
    """
    texts = deps.switchboard.texts(fresh=True) or {}
    in_force = read_switches(texts)
    actions = audits.page(deps.audit, AuditAction.SWITCHES, limit=CHANGES_SHOWN)[0]
    return SwitchesView(
        switches={
            name: StandingView(text=texts.get(name), in_force=_plain(getattr(in_force, name)))
            for name in NAMES
        },
        readable=any(name in texts for name in NAMES),
        changes=[action_view(action) for action in actions],
    )


def set_switches(
    deps: ApiDependencies, texts: Mapping[str, str], instruction: Instruction
) -> ChangedSwitchesView:
    """
    Set some switches, as `checked` returns them, and return all, with the names of those that changed.

    Raises SwitchNotSet. Safe to repeat after a partial failure: switches that have the requested value already are
    skipped. Workers pick up the change within 30 seconds.
    """
    before = deps.switchboard.texts(fresh=True) or {}
    changed = [name for name, text in texts.items() if before.get(name) != text]
    # Closing changes go first: a change applied in part is never more open than the whole.
    changed.sort(key=lambda name: read_switch(name, texts[name]) != getattr(CLOSED, name))
    for name in changed:
        _set(deps, name, before.get(name), texts[name], instruction)
    observation.note(
        {name: _meant(name, before.get(name)) for name in changed},
        {name: _meant(name, texts[name]) for name in changed},
    )
    for name in changed:
        log_change(instruction, "switch set", {"switch": name})
    return ChangedSwitchesView(**dict(shown(deps)), changed=changed)


def _set(
    deps: ApiDependencies, name: str, before: str | None, text: str, instruction: Instruction
) -> None:
    facts = {"switch": name} | _difference(name, before, text)
    write_audit_row(deps, instruction, f"switch:{name}", facts)
    try:
        deps.switchboard.set(name, text)
    except SwitchNotSet as failure:
        write_audit_row(
            deps, instruction, f"switch:{name}:failed", facts, result=failed(failure.reason)
        )
        raise


def checked(requested: Mapping[str, object]) -> dict[str, str]:
    """Return the text of each switch, given as JSON or as stored text. Raises InvalidInput."""
    texts = {name: _text(value) for name, value in requested.items()}
    problems = [
        {"field": name[:64], "problem": problem}
        for name, text in texts.items()
        if (problem := _problem(name, text))
    ]
    if not texts:
        problems = [
            {"field": "body", "problem": f"must contain at least one of {', '.join(NAMES)}"}
        ]
    if problems:
        raise InvalidInput(problems)
    return texts


def _problem(name: str, text: str) -> str | None:
    try:
        value = read_switch(name, text)
    except SwitchInvalid as invalid:
        return invalid.problem
    if name == "template_enabled" and not all(_may_be(*entry) for entry in value.items()):
        return _NO_TEMPLATE
    return None


def _may_be(template: str, enabled: bool) -> bool:
    return template in templates and (templates[template].tier is not None or not enabled)


def _text(value: object) -> str:
    """Return a JSON value as stored text. The parameter store accepts no empty text: `none` stands for it."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return ",".join(map(str, value)) or "none"
    return json.dumps(value, separators=(",", ":"))


def _difference(name: str, before: str | None, after: str) -> dict[str, Any]:
    """Return `from` and `to`; of a map only the entries that differ, which keeps the audit row short."""
    old, new = _meant(name, before), _meant(name, after)
    if isinstance(old, dict) and isinstance(new, dict):
        differ = [key for key in old | new if old.get(key) != new.get(key)]
        old, new = ({key: meaning.get(key) for key in differ} for meaning in (old, new))
    return {"from": old, "to": new}


def _meant(name: str, text: str | None) -> Any:  # noqa: ANN401 - any JSON value
    """Return a switch's value as JSON. An unreadable text, set by another tool, is not repeated."""
    if text is None:
        return None
    try:
        return _plain(read_switch(name, text))
    except SwitchInvalid:
        return "unreadable"


def _plain(value: object) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, frozenset):
        return sorted(map(str, value))
    return dict(value) if isinstance(value, Mapping) else value
