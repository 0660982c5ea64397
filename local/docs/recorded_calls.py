"""
The calls that the reference of actions shows: for each action a request and its answer, as a test made them.

The tests in `tests/integration/whatsapp/actions` compare their calls with the file. To record new calls:

    PARLEY_RECORD_CALLS=.local/calls.jsonl .venvs/dev/bin/pytest tests/integration/whatsapp/actions
    python -m local.docs.recorded_calls .local/calls.jsonl

A run of single tests records their calls only. A recorded call stays as long as its test makes it, apart from random
ids. Of a new action, and of one whose test is gone, the most detailed answer of moderate size is taken.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from local.stack.processes import ROOT

RECORDED = ROOT / "local" / "docs" / "recorded_calls.jsonl"
LARGEST = 1_500  # characters of an answer, if there is a choice
type Json = dict[str, Any]

# Names of states, kinds and actions.
_WORD = re.compile(r"[a-z_]{1,60}")
# Values that differ from run to run, and what is shown instead.
_VOLATILE = (
    (re.compile(r"http://127\.0\.0\.1:\d+"), "https://graph.facebook.com"),
    (re.compile(r"\?(?:X-Amz|AWSAccessKeyId)[^\s\"]*"), "?X-Amz-Signature=..."),
)


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of an action that succeeded. *test* is the id of the test that makes it."""

    action: str
    test: str
    request: Json
    answer: Json

    @property
    def number(self) -> str:
        """The id of the request, which numbers the calls of its test."""
        return str(self.answer["requestId"])


def load() -> dict[str, RecordedCall]:
    """Return the recorded calls by action."""
    if not RECORDED.exists():
        return {}
    calls = map(_parsed, RECORDED.read_text(encoding="utf-8").splitlines())
    return {call.action: call for call in calls}


def line_of(call: RecordedCall) -> str:
    """Return the line of a call in the file, without what differs from run to run."""
    text = json.dumps(asdict(call), sort_keys=True, ensure_ascii=False)
    for pattern, shown in _VOLATILE:
        text = pattern.sub(shown, text)
    return text + "\n"


def outline(call: RecordedCall) -> object:
    """Return the part of a call that is the same in each run: without ids, codes, links and other texts."""
    return _without_texts({"request": call.request, "answer": call.answer})


def _without_texts(value: object) -> object:
    match value:
        case dict():
            return {name: _without_texts(entry) for name, entry in value.items()}
        case list():
            return [_without_texts(entry) for entry in value]
        case str() if not _WORD.fullmatch(value):
            return "text"
    return value


def is_shown(call: RecordedCall) -> bool:
    """Whether a call can be the example of its action: its outcome is known, and it is no repetition or dry run."""
    return (
        "result" in call.answer
        and call.answer["result"].get("state") != "in_doubt"
        and call.answer["statusCode"] in {HTTPStatus.OK, HTTPStatus.ACCEPTED}
        and "replayed" not in call.answer
        and not call.request.get("dryRun")
        and call.answer["operation"] == call.action
    )


def chosen(calls: Iterable[RecordedCall], kept: dict[str, RecordedCall]) -> list[RecordedCall]:
    """
    Return one call for each action: the one of *kept* if its test still makes it or was not run, else the best of the
    same test, else the best one.
    """
    by_action: dict[str, list[RecordedCall]] = {}
    tests = set()
    for call in calls:
        tests.add(call.test)
        if is_shown(call):
            by_action.setdefault(call.action, []).append(call)
    found = dict(kept)
    for action, candidates in by_action.items():
        old = kept.get(action)
        if old and old.test not in tests:
            continue
        same = [one for one in candidates if old and one.test == old.test]
        if old and any(one.number == old.number and outline(one) == outline(old) for one in same):
            continue
        found[action] = min(same or candidates, key=_rank)
    return [found[action] for action in sorted(found)]


def _rank(call: RecordedCall) -> tuple[Any, ...]:
    """Sort the best example first: of moderate size, settled, with the most fields, and with the shortest request."""
    size = len(json.dumps(call.answer))
    return (
        max(size, LARGEST),
        call.answer["statusCode"],
        -len(set(_fields(call.answer["result"]))),
        len(json.dumps(call.request)),
        call.test,
        call.number,
    )


def _fields(value: object, path: str = "") -> Iterator[str]:
    """Yield the path of each field of a JSON value; the entries of a list share theirs."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield f"{path}.{name}"
            yield from _fields(entry, f"{path}.{name}")
    elif isinstance(value, list):
        for entry in value:
            yield from _fields(entry, path)


def _parsed(line: str) -> RecordedCall:
    return RecordedCall(**json.loads(line))


def has_its_test(call: RecordedCall) -> bool:
    """Whether the test of a call is in its file: it may have been renamed or removed."""
    path, _, test = call.test.partition("::")
    file = ROOT / path
    return file.exists() and f"def {test.partition('[')[0]}(" in file.read_text(encoding="utf-8")


def main(path: Path) -> None:
    """Write the file from the calls of a run of the tests."""
    kept = {name: call for name, call in load().items() if has_its_test(call)}
    calls = chosen(map(_parsed, path.read_text(encoding="utf-8").splitlines()), kept)
    RECORDED.write_text("".join(map(line_of, calls)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
