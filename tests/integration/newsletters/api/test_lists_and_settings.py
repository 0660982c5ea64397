"""Lists with filters and cursors, options, and what belongs to the company: settings and documents."""

from __future__ import annotations

import base64
import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from shared.ai.retrieval.documents import MOST_FILE_BYTES
from tests.integration.newsletters.api.author import ONE
from tests.simulation.newsletters.system import BEN, MODEL

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

ALL, SETTINGS, SOURCES = "/newsletters", "/newsletters/settings", "/newsletters/sources"
WRITER = "newsletters:write"


def _pages(
    author: Author, path: str, name: str, query: dict[str, str] | None = None, **more: Any
) -> list[list[Any]]:
    pages, cursor = [], None
    while True:
        asked = {**(query or {}), **({"cursor": cursor} if cursor else {})}
        status, answer = author.call("GET", path, query=asked, **more)
        assert status == 200, answer
        pages.append(answer["result"][name])
        cursor = answer.get("cursor")
        if cursor is None:
            return pages


def _created(author: Author, count: int, **more: Any) -> list[str]:
    codes = []
    for number in range(count):
        author.system.clock.ms += 1_000
        body = {"title": f"Number {number}"}
        codes.append(author.do("POST", ALL, body, **more)["newsletter_code"])
    return codes


def test_own_newsletters_come_in_pages_newest_first(author: Author) -> None:
    codes = _created(author, 5)
    _created(author, 2, user=BEN)

    pages = _pages(author, ALL, "newsletters", {"limit": "2"})

    assert [one["code"] for page in pages for one in page] == codes[::-1]
    assert [len(page) for page in pages][:2] == [2, 2]


def test_a_cursor_of_another_user_company_or_list_is_refused(author: Author) -> None:
    author.at("created")
    _created(author, 2)
    cursor = author.call("GET", ALL, query={"limit": "1"})[1]["cursor"]

    for query, more in (
        ({"cursor": cursor}, {"user": BEN}),
        ({"cursor": cursor}, {"company": "globex"}),
        ({"cursor": cursor, "of": "company"}, {}),
        ({"cursor": cursor[:-2]}, {}),
        ({"cursor": "made-up"}, {}),
    ):
        status, code = author.refused("GET", ALL, query=query, **more)
        assert (status, code) == (400, "invalid_cursor")
    status, code = author.refused("GET", SOURCES, query={"cursor": cursor})
    assert (status, code) == (400, "invalid_cursor")


@pytest.mark.parametrize("limit", ["0", "101", "many", "-1"])
def test_a_limit_of_a_page_is_1_to_100(author: Author, limit: str) -> None:
    for path in (ALL, SOURCES):
        assert set(author.problems("GET", path, None, query={"limit": limit})) == {"limit"}


def test_lists_are_filtered_by_status_and_review(author: Author) -> None:
    author.at("drafted")
    _created(author, 2)
    author.do("POST", f"{ONE}/review/request", {"version": author.version("metadata")})
    code = author.system.code

    def listed(**query: str) -> list[str]:
        pages = _pages(author, ALL, "newsletters", query)
        return [one["code"] for page in pages for one in page]

    assert listed(status="completed") == [code]
    assert len(listed(status="draft")) == 2
    assert listed(status="exported") == []
    assert listed(review="requested") == [code]
    assert listed(review="approved") == []
    assert set(author.problems("GET", ALL, None, query={"status": "sent"})) == {"status"}
    assert set(author.problems("GET", ALL, None, query={"review": "lost"})) == {"review"}
    assert set(author.problems("GET", ALL, None, query={"of": "all"})) == {"of"}


def test_the_newsletters_of_the_company_need_the_scope_to_read_or_review(author: Author) -> None:
    own = _created(author, 1)
    colleagues = _created(author, 1, user=BEN)
    _created(author, 1, company="globex")
    query = {"of": "company"}

    for scope in ("newsletters:read", "newsletters:review"):
        pages = _pages(author, ALL, "newsletters", query, scopes=scope, user="cleo")
        assert [one["code"] for page in pages for one in page] == [*colleagues, *own]
    assert author.refused("GET", ALL, query=query, scopes=WRITER) == (403, "forbidden")
    mine = _pages(author, ALL, "newsletters", scopes=WRITER)
    assert [one["code"] for page in mine for one in page] == own


def test_options_have_all_values_that_a_configuration_may_have(author: Author) -> None:
    author.at("created")
    options = author.do("GET", f"{ALL}/options", scopes="newsletters:read")["options"]

    for name in (
        "target_audience", "format_type", "length_preference", "frequency", "tone_preset",
    ):  # fmt: skip
        for one in options[name]:
            assert one["label"]
            value = [one["value"]] if name == "target_audience" else one["value"]
            author.patch(**{name: value})
    assert len(options["selected_types"]) == 12
    ids = [one["value"] for one in options["selected_types"]]
    assert author.select(*ids)["selected_types"] == [
        one["label"] for one in options["selected_types"]
    ]


# Settings


def test_settings_have_versions_and_defaults(author: Author) -> None:
    first = author.do("GET", SETTINGS)
    assert (first["version"], first["ai"], first["four_eyes"]) == (0, None, False)

    written = author.do("PUT", SETTINGS, {"version": 0, "ai": MODEL, "four_eyes": True})
    assert (written["version"], written["four_eyes"], written["ai_daily_units"]) == (1, True, 200)
    assert author.do("GET", SETTINGS) == written
    for version in (0, 2):
        body = {"version": version, "four_eyes": False}
        assert author.refused("PUT", SETTINGS, body) == (409, "stale_version")
    kept = author.do("PUT", SETTINGS, {"version": 1, "ai_daily_units": 7})
    assert {**kept, "version": 1, "ai_daily_units": 200} == written
    removed = author.do("PUT", SETTINGS, {"version": 2, "ai": None})
    assert (removed["ai"], removed["four_eyes"]) == (None, True)


def test_paces_of_mailbox_providers_are_set_as_a_whole_with_domains_as_addresses_have_them(
    author: Author,
) -> None:
    paces = {"google": {"per_hour": 600, "domains": ["Bücher.example"]}, "other": {"per_hour": 60}}
    written = author.do("PUT", SETTINGS, {"version": 0, "mailbox_providers": paces})

    kept = author.do("PUT", SETTINGS, {"version": 1, "four_eyes": True})["mailbox_providers"]
    removed = author.do("PUT", SETTINGS, {"version": 2, "mailbox_providers": {}})

    google = {"per_hour": 600, "domains": ["xn--bcher-kva.example"]}
    assert written["mailbox_providers"]["google"] == google
    assert kept == written["mailbox_providers"]
    assert removed["mailbox_providers"] == {}


def test_a_model_of_the_same_provider_keeps_what_is_not_named_and_of_another_one_nothing(
    author: Author,
) -> None:
    author.do("PUT", SETTINGS, {"version": 0, "ai": {**MODEL, "temperature": 0.5}})

    changed = author.do("PUT", SETTINGS, {"version": 1, "ai": {**MODEL, "model": "newer"}})["ai"]

    assert (changed["model"], changed["temperature"]) == ("newer", 0.5)
    other = {"provider": "bedrock", "model": "anthropic.made-up"}
    assert "temperature" not in author.do("PUT", SETTINGS, {"version": 2, "ai": other})["ai"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ai_daily_units", -1),
        ("ai_daily_units", 100_001),
        ("ai_daily_units", "5"),
        ("four_eyes", "yes"),
        ("version", -1),
        ("version", 10**40),
        ("retrieval", {"retriever": "web"}),
        ("retrieval", {"retriever": "bedrock"}),
        ("retrieval", {"retriever": "bedrock", "knowledge_base_id": "short"}),
        ("retrieval", {"retriever": "local", "min_score": 1.5}),
        ("ai", {"provider": "openai"}),
        ("ai", {**MODEL, "api_key": "a secret"}),
        ("colour", "red"),
        ("mailbox_providers", {"gmx": {"per_hour": 10}}),
        ("mailbox_providers", {"google": {"per_hour": 0}}),
        ("mailbox_providers", {"google": {"per_hour": "10"}}),
        ("mailbox_providers", {"google": {"per_hour": 36_001}}),
        ("mailbox_providers", {"google": {"per_minute": 10}}),
        ("mailbox_providers", {"google": {"domains": ["no domain"]}}),
        ("mailbox_providers", {"google": {"domains": ["a.example", "A.example"]}}),
        ("mailbox_providers", {"google": {"domains": [f"d{n}.example" for n in range(101)]}}),
        ("mailbox_providers", {"other": {"domains": ["a.example"]}}),
    ],
)
def test_settings_that_break_a_rule_are_refused_by_name(
    author: Author, field: str, value: Any
) -> None:
    problems = author.problems("PUT", SETTINGS, {"version": 0, field: value})

    assert {name.partition(".")[0] for name in problems} == {field}


def test_settings_and_documents_are_changed_with_the_admin_scope_only(author: Author) -> None:
    author.at("created")
    document = {"name": "a.md", "title": "A", "text": "Text"}

    for call in (
        ("PUT", SETTINGS, {"version": 1}),
        ("POST", SOURCES, document),
        ("DELETE", f"{SOURCES}/teff-trial.md", None),
    ):
        assert author.refused(*call, scopes=WRITER) == (403, "forbidden")
    assert author.call("GET", SETTINGS, scopes=WRITER)[0] == 200
    assert author.call("GET", SOURCES, scopes=WRITER)[0] == 200


# Documents


def test_documents_are_added_replaced_listed_and_deleted(author: Author) -> None:
    body = {
        "name": "b.md", "title": "B", "text": "One", "date": "2026-02-28",
        "url": "https://field.example/b", "topics": ["soil"],
    }  # fmt: skip
    author.do("POST", SOURCES, body)
    author.do("POST", SOURCES, {"name": "a.txt", "title": "A", "text": "Two"})
    author.do("POST", SOURCES, body | {"title": "B again", "text": "Three words here"})

    pages = _pages(author, SOURCES, "sources", {"limit": "1"})

    listed = [one for page in pages for one in page]
    assert [one["name"] for one in listed] == ["a.txt", "b.md"]
    assert (listed[1]["title"], listed[1]["size"]) == ("B again", len("Three words here"))
    assert (listed[1]["date"], listed[1]["url"]) == ("2026-02-28", "https://field.example/b")
    assert listed[1]["topics"] == ["soil"]
    assert _pages(author, SOURCES, "sources", company="globex") == [[]]
    author.do("DELETE", f"{SOURCES}/b.md")
    assert author.refused("DELETE", f"{SOURCES}/b.md") == (404, "not_found")
    assert [one["name"] for one in _pages(author, SOURCES, "sources")[0]] == ["a.txt"]


def _word_file(*paragraphs: str) -> str:
    """A Word file in Base64, of the parts that are read."""
    found, words = io.BytesIO(), "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<p><r><t>{text}</t></r></p>" for text in paragraphs)
    with zipfile.ZipFile(found, "w") as package:
        package.writestr("word/document.xml", f'<document xmlns="{words}">{body}</document>')
    return base64.b64encode(found.getvalue()).decode()


def test_a_file_is_a_document_whose_passages_can_be_read(author: Author) -> None:
    file = _word_file("Early teff keeps its yield.", "A second trial begins.")
    body = {"name": "trial.docx", "title": "Trial", "date": "2026-02-28", "file": file}

    assert author.do("POST", SOURCES, body) == {"name": "trial.docx"}

    read = author.do("GET", f"{SOURCES}/trial.docx", scopes=WRITER)
    assert read["passages"] == ["Early teff keeps its yield.\n\nA second trial begins."]
    assert (read["passage_count"], read["title"], read["date"]) == (1, "Trial", "2026-02-28")
    assert "problem" not in read
    assert author.refused("GET", f"{SOURCES}/trial.docx", company="globex") == (404, "not_found")
    assert author.refused("GET", f"{SOURCES}/nothing.md") == (404, "not_found")


@pytest.mark.parametrize(
    ("changed", "field", "problem"),
    [
        ({"name": "trial.md"}, "name", "must have 1 to 100 of a-z, 0-9"),
        ({"name": "trial.pdf"}, "file", "must be the file that the end of its name says"),
        ({"file": "JVBERi0xLjcgYnJva2Vu", "name": "a.pdf"}, "file", "must be a file that can be"),
        ({"file": _word_file()}, "file", "must have text: a scan has none"),
        ({"file": "UEsDBGJyb2tlbg=="}, "file", "must be a file that can be read"),
        ({"file": "A"}, "file", "Base64"),
        ({"file": base64.b64encode(bytes(MOST_FILE_BYTES + 1)).decode()}, "file", "at most"),
        ({"text": "Text"}, "body", "must have text or file, not both"),
    ],
)
def test_a_file_that_cannot_be_read_is_no_document(
    author: Author, changed: dict[str, str], field: str, problem: str
) -> None:
    body = {"name": "trial.docx", "title": "Trial", "file": _word_file("Text.")} | changed

    problems = author.problems("POST", SOURCES, body)

    assert set(problems) == {field}
    assert problem in problems[field]
    assert _pages(author, SOURCES, "sources") == [[]]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "../b.md"),
        ("name", "_index"),
        ("name", "B.md"),
        ("name", ""),
        ("name", "a/b.md"),
        ("name", "x" * 101),
        ("title", ""),
        ("title", " "),
        ("title", "x" * 301),
        ("text", ""),
        ("date", "2026-02-30"),
        ("date", "20260228"),
        ("date", "28.02.2026"),
        ("date", "2026-2-8"),
        ("url", "javascript:alert(1)"),
        ("url", "s3://bucket/key"),
        ("url", "not an address"),
        ("url", "http://localhost/x"),
        ("topics", ["x" * 61]),
        ("topics", ["x"] * 21),
        ("author", "Ann"),
    ],
)
def test_a_document_that_breaks_a_rule_is_refused_by_the_name_of_its_field(
    author: Author, field: str, value: Any
) -> None:
    body = {"name": "b.md", "title": "B", "text": "One", field: value}

    problems = author.problems("POST", SOURCES, body)

    assert {name.partition(".")[0] for name in problems} == {field}
    assert _pages(author, SOURCES, "sources") == [[]]


@pytest.mark.parametrize("name", ["..%2Fb.md", "_index%2Fx", "B.md", "a%00.md", "%20"])
def test_a_document_with_an_impossible_name_is_not_deleted(author: Author, name: str) -> None:
    author.at("created")

    assert set(author.problems("DELETE", f"{SOURCES}/{name}", None)) == {"name"}
    assert author.refused("DELETE", f"{SOURCES}/nothing.md") == (404, "not_found")


def test_a_document_of_more_than_a_megabyte_is_refused(author: Author) -> None:
    body = {"name": "b.md", "title": "B", "text": "é" * 600_000}

    assert set(author.problems("POST", SOURCES, body)) == {"text"}
