"""Configuration errors that `python -m operations projects put` finds before it stores a project."""

import socket
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from conversations.ai.project_checks.settings import SOURCES
from events.conversations import sample_data
from shared.aws.dynamodb import Table
from tests.integration.conversations.second_company import SECRET_ID
from tests.integration.operations.projects.conftest import BEDROCK, put, stored

TARGET = "https://booking.example/slots"
FUNCTION = {"name": "book_slot", "description": "Books a slot.", "target": TARGET}


def changed(path: str, value: object, **ai: Any) -> dict[str, Any]:
    """The project, with the settings *ai* of its model, and one more setting at a path such as `policy.a`."""
    item = deepcopy(sample_data.project(ai_config=BEDROCK | ai))
    *steps, last = path.split(".")
    place: Any = item
    for step in steps:
        place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
    place[last] = value
    return item


def errors(capsys: pytest.CaptureFixture[str]) -> list[str]:
    lines = capsys.readouterr().err.splitlines()
    return [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("retension_days", "retention_days"),
        ("policy.initated_per_day", "initiated_per_day"),
        ("rate_limits.requestsPerMinute", "requests_per_minute"),
        ("company_rep.companyrep_1", "company_rep_1"),
        ("channel_config.wathsapp", "whatsapp"),
        ("channel_config.sms.max_segment", "max_segments"),
        ("channel_config.sms.max_message", "max_messages"),
        ("channel_config.whatsapp.templates.invitation.langage", "language"),
        ("channel_config.whatsapp.templates.invitation.variables.0.descripe", "describe"),
        ("ai_config.keep_threads", "keep_thread"),
        ("ai_config.bedrok_config", "bedrock_config"),
        ("ai_config.bedrock_config.emial", "email"),
        ("ai_config.bedrock_config.sms.max_output_token", "max_output_tokens"),
        ("ai_config.openai_config.sms.Temperature", "temperature"),
        ("ai_config.prompts.inital", "initial"),
        ("ai_config.functions.0.aproval", "approval"),
        ("knowledge_config.enable", "enabled"),
    ],
)
def test_a_misspelled_setting_is_refused_with_the_nearest_name_at_every_level(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    path: str,
    nearest: str,
) -> None:
    item = changed(path, "x", functions=[FUNCTION], prompts={})

    assert put(file, item) == 1

    assert errors(capsys) == [f"{path}: is not a setting; did you mean {nearest}?"]
    assert stored(tables) is None


def test_all_errors_are_listed_together(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item = changed("policy", {"quiet_hour": None, "initiated_per_day": -1, "help_text": 5})
    item["colour"] = "blue"
    item["channel_config"]["email"]["company_email"] = "nobody"
    del item["company_id"]

    assert put(file, item) == 1

    found = dict(line.split(": ", 1) for line in errors(capsys))
    assert found["policy.quiet_hour"] == "is not a setting; did you mean quiet_hours?"
    assert found["colour"].startswith("is not a setting; known here: accept_inbound, ai_config, ")
    assert found["policy.initiated_per_day"] == "input should be greater than or equal to 0"
    assert found["policy.help_text"] == (
        "input should be a valid string, or input should be a valid dictionary"
    )
    assert found["company_id"] == "field required"
    assert found["channel_config.email.company_email"].startswith("must be an e-mail address")
    assert len(found) == 6


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (0, "greater than or equal to 1"),
        (6, "less than or equal to 5"),
        ("many", "valid integer"),
        (1.5, "valid integer"),
    ],
)
def test_a_number_of_messages_of_one_answer_that_is_none_is_refused_with_the_rule(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    value: object,
    rule: str,
) -> None:
    assert put(file, changed("channel_config.sms.max_messages", value)) == 1

    [line] = errors(capsys)
    assert line.startswith("channel_config.sms.max_messages: ")
    assert rule in line
    assert stored(tables) is None


@pytest.mark.parametrize(
    ("channels", "most"), [(["sms"], 1_600), (["sms", "whatsapp"], 4_096), (["email"], 20_000)]
)
def test_a_longest_message_that_no_channel_could_have_is_refused_with_the_limit(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    channels: list[str],
    most: int,
) -> None:
    item = changed("rate_limits.max_message_length", most + 1)
    item["allowed_channels"] = channels

    assert put(file, item) == 1

    [line] = errors(capsys)
    assert line.startswith(f"rate_limits.max_message_length: must be at most {most}, ")
    assert stored(tables) is None
    item["rate_limits"]["max_message_length"] = most
    assert put(file, item) == 0


@pytest.mark.parametrize(
    ("name", "most"), [("requests_per_minute", 1_200), ("requests_per_day", 1_728_000)]
)
def test_more_requests_than_the_api_takes_from_a_company_are_refused_with_the_limit(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    most: int,
) -> None:
    item = changed(f"rate_limits.{name}", most + 1)

    assert put(file, item) == 1

    [line] = errors(capsys)
    assert line.startswith(f"rate_limits.{name}: must be at most {most}: a company may make ")
    assert stored(tables) is None
    item["rate_limits"][name] = most
    assert put(file, item) == 0


def test_names_that_the_project_or_other_software_chooses_are_not_settings(
    tables: dict[str, Table], file: Path
) -> None:
    schema = {"type": "object", "properties": {"inital": {"type": "string"}}}
    item = changed("api_key_reference", "key-1", functions=[FUNCTION | {"parameters": schema}])
    item["channel_config"]["whatsapp"]["templates"]["langage"] = sample_data.STILL_THERE
    item["policy"]["opt_out_words"] = {"de": ["STOPP"]}
    item["policy"]["help_text"] = {"en": "We help.", "de": "Wir helfen."}
    item["ai_config"]["openai_config"] = {"sms": {"assistant_id_replies": "asst_1"}}

    assert put(file, item) == 0
    assert stored(tables)


@pytest.mark.parametrize(
    "wrong",
    [
        ("Hi {{1}}", ["name"], "body: the placeholder {{1}} must be the name of a variable"),
        ("{{name}} {{2}}", ["name", "job"], "body: the placeholder {{2}} must be the name of a"),
        ("Hi {{name}}", [], ": every placeholder of the body must have a variable"),
        ("Hi {{name}}", ["name", "job"], "variables.1: its name must be a placeholder of the body"),
        ("{{2}} {{1}}", ["2", "1"], "variables: must be named 1, 2 and so on in order"),
        ("{{1}} {{job}}", ["1", "job"], "variables: must be named 1, 2 and so on in order"),
        ("Hi {{}}", [], "body: has double braces that are no placeholder"),
    ],
)
def test_placeholders_and_variables_of_a_template_must_match(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    wrong: tuple[str, list[str], str],
) -> None:
    body, names, error = wrong
    template = {"content_sid": "HX1", "body": body, "variables": [{"name": n} for n in names]}

    assert put(file, changed("channel_config.whatsapp.templates.greeting", template)) == 1

    [line] = errors(capsys)
    where = "channel_config.whatsapp.templates.greeting"
    assert line.startswith(where + (error if error.startswith(":") else f".{error}"))
    assert stored(tables) is None


def test_numbered_placeholders_with_variables_of_these_names_are_stored(
    tables: dict[str, Table], file: Path
) -> None:
    variables = [{"name": "1"}, {"name": "2", "source": "project_data.jobRole"}]
    template = {"content_sid": "HX1", "body": "{{1}}, the {{ 2 }}.", "variables": variables}

    assert put(file, changed("channel_config.whatsapp.templates.greeting", template)) == 0


def test_a_variable_with_a_source_that_never_has_a_value_is_refused(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = "channel_config.whatsapp.templates.still_there.variables"
    variables = [{"name": "name", "source": "recipient_frist_name"}]

    assert put(file, changed(path, variables)) == 1

    assert errors(capsys) == [
        f"{path}.0.source: must be {', '.join(SOURCES)} or project_data.<name>"
    ]


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.1.2.3"],
        ["100.64.0.1"],
        ["169.254.169.254"],
        ["::1"],
        ["fd00:ec2::254"],
        ["fe80::1"],
        ["::ffff:10.0.0.1"],
        ["93.184.215.14", "192.168.0.5"],
    ],
)
def test_a_function_whose_host_has_a_private_address_is_refused(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    addresses: list[str],
) -> None:
    resolve(monkeypatch, *addresses)

    assert put(file, changed("ai_config.functions", [FUNCTION])) == 1

    rule = "must not be a private, loopback, link-local or reserved address"
    assert errors(capsys) == [f"ai_config.functions.0.target: {rule}"]
    assert stored(tables) is None


def test_a_function_whose_host_is_public_is_stored(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolve(monkeypatch, "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c")

    assert put(file, changed("ai_config.functions", [FUNCTION])) == 0
    assert "warning" not in capsys.readouterr().err


def test_a_function_whose_host_cannot_be_resolved_is_stored_with_a_warning(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert put(file, changed("ai_config.functions", [FUNCTION])) == 0

    warning = "warning: ai_config.functions.0.target: the host name cannot be resolved here"
    assert warning in capsys.readouterr().err.splitlines()


def test_the_secret_of_a_function_must_exist(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = SECRET_ID.replace("ci-bbb-001", sample_data.COMPANY) + "-missing"
    functions = [FUNCTION | {"secret_reference": name}]

    assert put(file, changed("ai_config.functions", functions)) == 1

    [line] = errors(capsys)
    assert line.startswith(f"ai_config.functions.0.secret_reference: the secret {name} does not")


@pytest.fixture(autouse=True)
def _no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve(monkeypatch)


def resolve(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Make the functions' host resolve to these addresses; to none, as without a network."""
    original = socket.getaddrinfo

    def resolved(host: Any, *arguments: Any, **options: Any) -> Any:
        if host != "booking.example":
            return original(host, *arguments, **options)
        if not addresses:
            raise socket.gaierror
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 0)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"min_score": 2}, "knowledge_config.min_score: "),
        ({"sources_required": "yes"}, "knowledge_config.sources_required: "),
        ({"retriever": "bedrock"}, "knowledge_config: knowledge_base_id"),
    ],
)
def test_invalid_settings_of_documents_are_refused(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    settings: dict[str, Any],
    fault: str,
) -> None:
    assert put(file, changed("knowledge_config", settings)) == 1
    assert [line.startswith(fault) for line in errors(capsys)] == [True]


@pytest.mark.parametrize("is_enabled", [False, True])
def test_the_search_of_documents_and_a_function_cannot_have_the_same_name(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    is_enabled: bool,
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [])
    item = changed(
        "knowledge_config.enabled", is_enabled, functions=[FUNCTION | {"name": "search_documents"}]
    )

    assert put(file, item) == int(is_enabled)
    assert errors(capsys) == [
        "ai_config.functions.0.name: is the name of a function of knowledge_config"
    ] * int(is_enabled)
