"""
Reads files of dialogues: YAML documents (`.yaml`, `.yml`), or JSON lines (all other names).

`defaults: {...}` in place of a dialogue has values for the dialogues after it; maps are merged with the dialogue's.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from conversations.dialogues.scenarios.format import Dialogue
from conversations.dialogues.scenarios.settings import merged
from shared.runtime.validation.validation_errors import errors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


class DialogueInvalid(Exception):
    """A file cannot be read: its name, and place and rule of each error."""


@dataclass(frozen=True, slots=True)
class Written:
    """A dialogue and the folder of its file, which has the files that the customer sends."""

    dialogue: Dialogue
    folder: Path


def read(path: Path) -> list[Written]:
    """Return the dialogues of a file. Raises DialogueInvalid and OSError."""
    return parsed(documents_in(path), path, path.parent)


def documents_in(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the values that a file has, with their places. Raises DialogueInvalid for a file of another format."""
    return _yaml(path) if path.suffix in {".yaml", ".yml"} else _json_lines(path)


def parsed(values: Iterable[tuple[str, Any]], where: object, folder: Path) -> list[Written]:
    """Return the dialogues that *values* have, each with its place in *where*. Raises DialogueInvalid."""
    found: list[Written] = []
    problems: list[str] = []
    defaults: dict[str, Any] = {}
    for place, value in values:
        if isinstance(value, dict) and value.keys() == {"defaults"}:
            defaults = value["defaults"] if isinstance(value["defaults"], dict) else {}
            continue
        whole = merged(defaults, value) if isinstance(value, dict) else value
        try:
            found.append(Written(Dialogue.model_validate(whole), folder))
        except ValidationError as error:
            name = value.get("name") if isinstance(value, dict) else None
            problems += [f"{where}: {name or place}: {line}" for line in _rules(error)]
    problems += [f"{where}: {line}" for line in _missing_files(found)]
    names = Counter(one.dialogue.name for one in found)
    problems += [f"{where}: {name}: the name is used twice" for name, n in names.items() if n > 1]
    if problems:
        raise DialogueInvalid("\n".join(problems))
    if not found:
        raise DialogueInvalid(f"{where}: no dialogue")
    return found


def _rules(error: ValidationError) -> Iterator[str]:
    for one in errors_of(error):
        where = ".".join(str(part) for part in one["loc"]) or "the dialogue"
        yield f"{where}: {one['msg']}"


def _missing_files(found: list[Written]) -> Iterator[str]:
    for one in found:
        for step in one.dialogue.turns:
            for attached in step.files:
                if not (one.folder / attached.path).is_file():
                    yield f"{one.dialogue.name}: {attached.path}: no such file"


def _yaml(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the dialogues of a YAML file: its documents, each a dialogue or a list of them."""
    import yaml  # noqa: PLC0415 - deployed functions have no YAML

    try:
        for document in yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            listed = document if isinstance(document, list) else [document]
            for number, value in enumerate(listed, start=1):
                yield f"dialogue {number}", value
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DialogueInvalid(f"{path}: no YAML: {error}") from None


def _json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", json.loads(line)
        except (ValueError, RecursionError):
            raise DialogueInvalid(f"{path}: line {number}: no JSON") from None
