"""`python -m operations erase-person`: an operator erases a person's data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import boto3
import pytest

from conversations.store import conversations
from conversations.store.items.conversation import ChannelMethod, Conversation
from events.conversations import sample_data
from local.sandbox import Config, running
from operations.command_line import arguments
from operations.privacy import erase_person
from shared.aws.dynamodb import Table
from shared.identity import keyed_hashes
from shared.runtime import clock
from tests import keyring
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.sandbox import Sandbox

STACK, BUCKET = "parley-dev", "media"
SECRET = "parley/dev/companies/ci-aaa-001/openai"
KEYS_SECRET = "parley-dev-identifier-keys"
ANN = sample_data.CANDIDATE


@pytest.fixture
def table(keys: Table, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A stack on moto, by its outputs; `keys` has started moto and stopped the clock."""
    del keys
    boto3.client("secretsmanager").create_secret(Name=KEYS_SECRET, SecretString=keyring.TEXT)
    dynamodb = boto3.client("dynamodb")
    boto3.client("s3").create_bucket(Bucket=BUCKET)
    outputs = {
        erase_person.TABLE: create_table(dynamodb, "ConversationsTable"),
        erase_person.LOG: create_table(dynamodb, "ConversationLogTable"),
        erase_person.BUCKET: BUCKET,
        erase_person.KEYS: KEYS_SECRET,
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)
    now = [clock.now_ms()]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    monkeypatch.setattr(clock, "sleep_ms", lambda ms: now.__setitem__(0, now[0] + ms))
    # The command configures the keyring of the process: the fixture restores it after the test.
    monkeypatch.setattr(keyed_hashes, "_secret", keyed_hashes._secret)
    return Table(dynamodb, outputs[erase_person.TABLE])


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with running(Config()) as sandbox:
        yield sandbox


def begin(table: Table, thread_id: str | None = None) -> None:
    at = clock.to_text(clock.now_ms())
    conversation = Conversation(
        primary_channel=ANN,
        conversation_id=f"{sample_data.COMPANY}#{sample_data.PROJECT}#req-1#{ANN.removeprefix('+')}",
        company_id=sample_data.COMPANY,
        project_id=sample_data.PROJECT,
        channel_method=ChannelMethod.SMS,
        conversation_status="reply_sent",
        request_id="req-1",
        created_at=at,
        updated_at=at,
        thread_id=thread_id,
        ai_config={"provider": "openai", "api_key_reference": SECRET},
    )
    conversations.create(table, conversation)


def erase(*given: str) -> int:
    return erase_person.main(["--stack", STACK, "--company", sample_data.COMPANY, *given])


def left(table: Table) -> list[Conversation]:
    return list(conversations.ever_with_recipient(table, sample_data.COMPANY, ANN))


def test_the_output_counts_the_erased_items_and_does_not_identify_the_person(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(table)

    assert erase("--phone", "+44 7700 900123") == 0

    printed = capsys.readouterr()
    assert "conversations\t1\n" in printed.out
    assert "900123" not in printed.out + printed.err
    assert left(table) == []


def test_the_copy_at_openai_is_deleted_too(table: Table, sandbox: Sandbox) -> None:
    boto3.client("secretsmanager").create_secret(
        Name=SECRET, SecretString=json.dumps({"ai_api_key": "sk-made-up"})
    )
    sandbox.openai.conversations["conv_1"] = []
    begin(table, "conv_1")

    assert erase("--phone", ANN, "--openai-url", sandbox.url) == 0

    assert sandbox.openai.conversations == {}


def test_a_copy_that_is_already_deleted_is_no_error(table: Table, sandbox: Sandbox) -> None:
    boto3.client("secretsmanager").create_secret(
        Name=SECRET, SecretString=json.dumps({"ai_api_key": "sk-made-up"})
    )
    begin(table, "conv_1")

    assert erase("--phone", ANN, "--openai-url", sandbox.url) == 0


def test_a_copy_that_cannot_be_deleted_is_named_and_the_rest_is_erased(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(table, "conv_1")  # and there is no secret

    assert erase("--phone", ANN) == 1

    assert "conv_1" in capsys.readouterr().err
    assert left(table) == []


@pytest.mark.parametrize(
    "given", [("--phone", "0770090"), ("--email", "ann at home"), ("--user-id", "ann")]
)
def test_an_invalid_address_is_refused_and_not_printed(
    given: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        erase(*given)

    assert given[1] not in capsys.readouterr().err


def test_an_address_is_required(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    begin(table)

    assert erase() == 2

    assert "--phone" in capsys.readouterr().err
    assert len(left(table)) == 1
