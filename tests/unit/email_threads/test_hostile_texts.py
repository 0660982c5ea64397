"""
Texts that could become further header fields, in every text of every input model, also of models that are added later.

Fields of one line refuse them by their name, without their value. Texts of several lines are the body of a mail.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any, Final

import pytest

from email_threads import api, privacy
from shared.api.errors import InvalidInput
from shared.api.models.inputs import Input, checked
from shared.inbox.satisfaction.answers import Answer
from tests.cases import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from pydantic import BaseModel

type Path = tuple[str | int, ...]

BREAKS: Final = {
    "CR LF": "x\r\nBcc: eve@evil.example",
    "LF": "x\nBcc: eve@evil.example",
    "CR": "x\rBcc: eve@evil.example",
    "folded": "x\r\n\tBcc: eve@evil.example",
    "line separator": "x\u2028Bcc: eve@evil.example",
    "right to left": "x\u202eelpmaxe.live@eve",
}
NEVER: Final = {"NUL": "x\x00y", "next line": "x\x85y", "over-long": "x" * 100_001}
# Bodies of mails, notes and comments.
TEXTS: Final = {
    "AmendInput.body_text",
    "Answer.comment",
    "MailboxInput.signature",
    "NewMailInput.body_text",
    "NoteInput.text",
    "ReplyInput.body_text",
    "SignatureInput.by_mailbox.*",
    "SignatureInput.text",
}
# Values of the variables of a canned reply: the text is checked when they are in it (test_canned_replies).
FILLED: Final = {
    "CannedReplyInput.variables.*",
    "MacroRunInput.variables.*",
    "ReplyInput.canned_reply.variables.*",
}
# No part of a mail: compared with stored texts, opened with a key, or shown to the model only.
ELSEWHERE: Final = {
    "ThreadsQuery.q",
    "ThreadsQuery.cursor",
    "DraftsQuery.cursor",
    "MailboxInput.requirements_schema.properties.*.description",
    "MailboxInput.requirements_schema.properties.*.enum.0",
    "MailboxInput.requirements_schema.required.0",
    "MailboxSettings.requirements_schema.properties.*.description",
    "MailboxSettings.requirements_schema.properties.*.enum.0",
    "MailboxSettings.requirements_schema.required.0",
    "MailboxVersionInput.settings.requirements_schema.properties.*.description",
    "MailboxVersionInput.settings.requirements_schema.properties.*.enum.0",
    "MailboxVersionInput.settings.requirements_schema.required.0",
    "DraftTrialInput.mails.0.text",
    "DraftTrialInput.settings.requirements_schema.properties.*.description",
    "DraftTrialInput.settings.requirements_schema.properties.*.enum.0",
    "DraftTrialInput.settings.requirements_schema.required.0",
    "WrittenMail.text",
}


def _loaded(package: ModuleType) -> None:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)


def _subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in model.__subclasses__():
        yield one
        yield from _subclasses(one)


def _models() -> list[type[BaseModel]]:
    """All input models of e-mail, and models of the shared inbox that they have."""
    for package in (api, privacy):
        _loaded(package)
    found = {
        one
        for one in _subclasses(Input)
        if one.__module__.startswith(("email_threads.", "shared.inbox."))
    }
    return sorted({*found, Answer}, key=lambda one: one.__name__)


def _texts(schema: dict[str, Any], known: dict[str, Any], path: Path = ()) -> Iterator[Path]:
    """The places of the texts in a JSON schema; `{key}` is the name of an entry of a map, `*` any entry."""
    while "$ref" in schema:
        schema = known[schema["$ref"].rpartition("/")[2]]
    for name in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(name, ()):
            yield from _texts(part, known, path)
    if schema.get("type") == "string" and not {"enum", "const"} & schema.keys():
        yield path
    if schema.get("type") == "array":
        yield from _texts(schema.get("items", {}), known, (*path, 0))
    if schema.get("type") == "object":
        for name, part in schema.get("properties", {}).items():
            yield from _texts(part, known, (*path, name))
        entries = schema.get("additionalProperties") or next(
            iter(schema.get("patternProperties", {}).values()), None
        )
        if isinstance(entries, dict):
            yield (*path, "{key}")
            yield from _texts(entries, known, (*path, "*"))


def _placed(path: Path, value: str) -> Any:
    if not path:
        return value
    head, rest = path[0], path[1:]
    if head == 0:
        return [_placed(rest, value)]
    if head == "{key}":
        return {value: "x"}
    return {"name" if head == "*" else head: _placed(rest, value)}


def _problems(model: type[BaseModel], path: Path, value: str) -> list[dict[str, str]]:
    """What the model says about a text at its place; of missing fields beside it, it says more."""
    field = ".".join(str(one) for one in path if one not in {"{key}", "*"})
    try:
        checked(_placed(path, value), model)
    except InvalidInput as refused:
        found = refused.problems
        return [
            one for one in found if one["field"] == field or one["field"].startswith(f"{field}.")
        ]
    return []


PLACES: Final = [
    (model, path)
    for model in _models()
    for schema in [model.model_json_schema()]
    for path in dict.fromkeys(_texts(schema, schema.get("$defs", {})))
]


def _name(model: type[BaseModel], path: Path) -> str:
    return ".".join([model.__name__, *map(str, path)])


def test_the_places_are_those_of_all_fields_that_people_write() -> None:
    names = {_name(model, path) for model, path in PLACES}

    assert len(names) > 80
    assert {
        "ReplyInput.to.0", "ReplyInput.cc.0", "ReplyInput.bcc.0", "ReplyInput.subject", "ApproveInput.time_zone",
        "SplitInput.subject", "SignatureInput.name", "MacroInput.name", "MacroInput.add_tags.0",
        "ThreadChange.add_tags.0",
        "MailboxInput.display_name", "MailboxInput.blocked_senders.0", "MailboxInput.business_hours.time_zone",
        "MailboxInput.business_hours.holidays.0", "UploadInput.filename", "FileInput.filename", "RejectInput.reason",
    } <= names  # fmt: skip
    assert names >= TEXTS | FILLED | ELSEWHERE


@pytest.mark.long
@each(("model", "path"), PLACES, ids=[_name(*place) for place in PLACES])
def test_a_text_of_one_line_refuses_what_could_be_another_header_field(
    model: type[BaseModel], path: Path
) -> None:
    name = _name(model, path)
    if name in ELSEWHERE | FILLED:
        return
    hostile = NEVER if name in TEXTS else BREAKS | NEVER
    for kind, value in hostile.items():
        problems = _problems(model, path, value)

        assert problems, kind
        assert "evil.example" not in str(problems), kind


@each("text", ["Größe 🎉", "é" * 300, "שלום"])
def test_other_scripts_are_allowed_where_a_mail_encodes_them(text: str) -> None:
    for name, path in (
        ("ReplyInput", ("subject",)),
        ("RejectInput", ("reason",)),
        ("NewMailInput", ("subject",)),
    ):
        model = next(one for one in _models() if one.__name__ == name)
        assert not _problems(model, path, text[:200]), name


@pytest.mark.parametrize("field", ["to", "cc", "bcc"])
def test_an_address_in_another_script_is_refused_before_its_domain_alone(field: str) -> None:
    model = next(one for one in _models() if one.__name__ == "AmendInput")

    assert _problems(model, (field, 0), "jürgen@x.example")
    assert not _problems(model, (field, 0), "juergen@bücher.example")
