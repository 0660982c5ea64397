"""Calls that are killed between their write and their answer: repeated, they get the answer of the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.newsletters.api.author import ONE, TYPES, content_section
from tests.simulation.interceptor import Died, When
from tests.simulation.newsletters.system import BEN, MODEL

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.newsletters.api.author import Author

KEY = "a-key-of-eight-or-more"
DAY_MS = 86_400_000

type Call = tuple[str, str, dict[str, Any], dict[str, Any]]


def _configuration(author: Author) -> Call:
    changes = {"title": "Another", "tone_preset": "expert_analysis", "frequency": None}
    return "PATCH", ONE, {"version": author.version("metadata"), **changes}, {}


def _topics(author: Author) -> Call:
    custom = [{"name": "Bee keeping", "query": "bees honey"}]
    types = [TYPES[0], "bee keeping"]
    body = {"version": author.version("topics"), "selected_types": types, "custom_topics": custom}
    return "PUT", f"{ONE}/topics", body, {}


def _outline(author: Author) -> Call:
    sections = author.sections
    section = content_section(sections)
    reference = section["items"][0]["rag_reference_ids"][0]
    section["items"].pop()
    section["items"].append({"title": "Mine", "rag_reference_ids": [reference, reference]})
    sections.append({"name": "My section", "items": [{"title": "Mine, too"}]})
    body = {"version": author.version("outline"), "sections": sections}
    return "PUT", f"{ONE}/outline", body, {}


def _draft(author: Author) -> Call:
    body = {"version": author.version("draft"), "content": "# Mine\n\nText.\n"}
    return "PUT", f"{ONE}/draft", body, {}


def _section(author: Author) -> Call:
    key = author.whole["draft"]["section_order"][1]
    body = {"version": author.version("draft"), "content": "Mine.\n\n- and\n- more\n"}
    return "PUT", f"{ONE}/draft/sections/{key}", body, {}


def _discard(author: Author) -> Call:
    author.save_draft("# Mine\n\nText.\n")
    return "DELETE", f"{ONE}/draft/edits", {"version": author.version("draft")}, {}


def _restore(author: Author) -> Call:
    author.save_draft("# Mine\n\nText.\n")
    author.generate("draft", replace_edits=True)
    body = {"version": author.version("draft"), "revision": 2}
    return "POST", f"{ONE}/draft/restore", body, {}


def _request(author: Author) -> Call:
    body = {"version": author.version("metadata"), "note": "Please look."}
    return "POST", f"{ONE}/review/request", body, {}


def _approve(author: Author) -> Call:
    author.call(*_request(author)[:3])
    body = {"version": author.version("metadata"), "notes": "Well done."}
    return "POST", f"{ONE}/review/approve", body, {"user": BEN}


def _return(author: Author) -> Call:
    author.call(*_request(author)[:3])
    body = {"version": author.version("metadata"), "notes": "Shorter."}
    return "POST", f"{ONE}/review/return", body, {"user": BEN}


def _settings(author: Author) -> Call:
    version = author.do("GET", "/newsletters/settings")["version"]
    body = {"version": version, "ai": MODEL | {"temperature": 0.3}, "four_eyes": True}
    return "PUT", "/newsletters/settings", body, {}


def _creation(_: Author) -> Call:
    return "POST", "/newsletters", {"title": "A new one"}, {}


def _copy(author: Author) -> Call:
    return "POST", "/newsletters", {"title": "A copy", "copy_from": author.system.code}, {}


def _start(author: Author) -> Call:
    assert author.version("draft")
    return "POST", f"{ONE}/draft/start", {}, {}


CALLS = [
    _configuration, _topics, _outline, _draft, _section, _discard, _restore, _request, _approve, _return,
    _settings, _creation, _copy, _start,
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("prepare", CALLS, ids=lambda one: one.__name__.strip("_"))
def test_a_repeated_call_whose_first_one_wrote_without_answering_gets_its_answer(
    author: Author, prepare: Callable[[Author], Call]
) -> None:
    system = author.at("drafted").system
    method, path, body, more = prepare(author)
    snapshot = system.snapshot()
    system.restore(snapshot)  # numbers the calls from 1
    first = author.do(method, path, body, key=KEY, **more)
    expected = author.kept()
    calls = list(system.interceptor.calls)
    last_write = max(
        number
        for number, name in enumerate(calls, start=1)
        if name.startswith("dynamodb.") and ("Transact" in name or "PutItem NLCOMPANY" in name)
    )
    system.restore(snapshot)

    system.interceptor.die_at = (last_write, When.AFTER)
    with pytest.raises(Died):
        author.call(method, path, body, key=KEY, **more)
    system.new_process()
    written = author.kept()
    system.clock.ms += 31_000
    status, answer = author.call(method, path, body, key=KEY, **more)

    assert status < 300, answer
    assert _without_times(answer["result"]) == _without_times(first)
    assert author.kept() == written
    assert written.keys() == expected.keys()


def test_a_creation_repeated_after_midnight_finds_the_newsletter_of_yesterday(
    author: Author,
) -> None:
    system = author.at("created").system
    system.clock.ms += DAY_MS - system.clock.ms % DAY_MS - 1_000
    system.interceptor.rewind()
    snapshot = system.snapshot()
    author.do("POST", "/newsletters", {"title": "A new one"}, key=KEY)
    writes = [name for name in system.interceptor.calls if "Transact" in name]
    number = system.interceptor.calls.index(writes[0]) + 1
    system.restore(snapshot)

    system.interceptor.die_at = (number, When.AFTER)
    with pytest.raises(Died):
        author.call("POST", "/newsletters", {"title": "A new one"}, key=KEY)
    system.new_process()
    before = author.kept()
    system.clock.ms += 40_000
    answer = author.do("POST", "/newsletters", {"title": "A new one"}, key=KEY)

    assert author.kept() == before
    assert f"NEWSLETTER#{answer['newsletter_code']} METADATA" in before


def test_another_call_with_the_old_version_is_still_refused(author: Author) -> None:
    author.at("drafted").save_draft("# Mine\n\nText.\n")
    body = {"version": 1, "content": "# Mine\n\nAnother text.\n"}
    assert author.refused("PUT", f"{ONE}/draft", body) == (409, "stale_version")

    author.save_draft("# Mine\n\nMore text.\n")
    body = {"version": 1, "content": "# Mine\n\nMore text.\n"}
    assert author.refused("PUT", f"{ONE}/draft", body) == (409, "stale_version")


def _without_times(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "updated_at"}
