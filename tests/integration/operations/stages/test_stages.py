"""`python -m operations stage delete`: what it removes, in which order, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from operations.__main__ import main
from operations.stages import buckets, inventory, removal
from tests.integration.operations.stages.deletion import (
    Account,
    Killed,
    contents,
    create_stage,
    policy_of,
)
from tests.template import template

DELETE_PROD = ("prod", "--stack", "parley-prod", "--confirm", "prod", "--data", "delete")


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    make: Any = boto3.client
    with mock_aws(config={"lambda": {"use_docker": False}}):
        found = Account(make)
        monkeypatch.setattr(boto3, "client", found.client)
        for module in (inventory, removal, buckets):
            monkeypatch.setattr(module, "client", found.watched)
        yield found


def delete(*words: str) -> int:
    return main(["stage", "delete", *words])


@pytest.mark.long
def test_a_stage_is_removed_and_its_neighbours_are_untouched(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also a stage whose name begins with the deleted stage's name."""
    create_stage(account, "ann-eu", rule_set="company")
    create_stage(account, "prod")
    before = contents(account)
    create_stage(account, "ann", rule_set="company")

    assert delete("ann", "--stack", "parley-ann") == 0

    assert contents(account) == before
    assert capsys.readouterr().out.splitlines()[-1] == "parley-ann is deleted."


def test_a_dry_run_changes_nothing_and_prints_the_order_with_counts(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "ann", rule_set="company")
    before = contents(account)

    assert delete("ann", "--stack", "parley-ann", "--dry-run") == 0

    assert contents(account) == before
    assert account.changes == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        *("event sources", "schedules", "functions", "receipt rules", "protection", "buckets"),
        *("tables", "secrets", "parameters", "user pool", "stack", "Dry run"),
    ]
    assert lines[0] == "event sources: 1 event source mapping to disable"
    assert lines[3] == "receipt rules: rule parley-ann in set company to delete"
    assert "email-123456789012-us-east-1: 4 versions of objects" in lines[5]  # three, and a marker
    assert "media-123456789012-us-east-1: 1 versions of objects" in lines[5]
    assert lines[6].startswith("tables: 3 to delete, with the stack")
    assert lines[7] == "secrets: 1 secret to delete, restorable for 30 days"
    assert lines[8] == "parameters: 1 parameter to delete beside the stack"


def test_a_dry_run_says_what_would_be_refused(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "prod")

    assert delete("prod", "--stack", "parley-prod", "--data", "delete", "--dry-run") == 0

    refusals = [line for line in capsys.readouterr().out.splitlines() if "Would be refused" in line]
    assert "--confirm prod" in refusals[0]
    assert "--lift-protection: protected from deletion: table base-wecare" in refusals[1]
    assert account.changes == 0


@pytest.mark.parametrize(
    "confirmed", [(), ("--confirm", "prd"), ("--confirm", "PROD"), ("--confirm", "")]
)
def test_prod_is_refused_unless_its_name_is_typed_again(
    account: Account, confirmed: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "prod")
    before = contents(account)

    assert delete("prod", "--stack", "parley-prod", *confirmed) == 1

    assert "--confirm prod" in capsys.readouterr().err
    assert (contents(account), account.changes) == (before, 0)


def test_protected_tables_of_prod_are_named_and_need_a_flag_of_their_own(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "prod")
    before = contents(account)

    assert delete(*DELETE_PROD) == 1

    error = capsys.readouterr().err
    assert "--lift-protection" in error
    assert "table inbox-prod" in error
    assert "user pool" in error
    assert (contents(account), account.changes) == (before, 0)


def test_prod_keeps_its_data_unless_told_otherwise(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "prod")
    account.rules.active = "parley-prod"
    before = contents(account)

    assert delete("prod", "--stack", "parley-prod", "--confirm", "prod") == 0

    after = contents(account)
    assert after["stacks"] == []
    for kept in ("tables", "objects", "secrets", "pools"):
        assert after[kept] == before[kept]
    assert after["active"] == ""
    assert "Kept: tables" in capsys.readouterr().out


def test_prod_is_deleted_with_its_data_when_protection_is_lifted(account: Account) -> None:
    create_stage(account, "prod")
    account.rules.active = "parley-prod"

    assert delete(*DELETE_PROD, "--lift-protection") == 0

    assert not any(contents(account).values())
    (first, *_) = boto3.client("secretsmanager").list_secrets(IncludePlannedDeletion=True)[
        "SecretList"
    ]
    assert first["DeletedDate"]  # restorable


def test_other_stages_cannot_keep_their_data(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "ann")

    assert delete("ann", "--stack", "parley-ann", "--data", "keep") == 1

    assert "--data" in capsys.readouterr().err
    assert account.changes == 0


def test_a_stack_with_termination_protection_is_a_protected_stage(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "ann")
    account.cloudformation.stacks["parley-ann"]["is_protected"] = True

    assert delete("ann", "--stack", "parley-ann") == 1
    error = capsys.readouterr().err
    assert "--confirm ann" in error
    assert "--lift-protection: protected from deletion: stack parley-ann" in error
    assert delete("ann", "--stack", "parley-ann", "--confirm", "ann", "--lift-protection") == 0
    assert account.cloudformation.stacks == {}


def test_a_stack_of_another_stage_is_refused(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "prod")

    assert delete("ann", "--stack", "parley-prod") == 1

    assert "stage: parley-prod is the stack of prod" in capsys.readouterr().err
    assert account.changes == 0


def test_an_update_that_runs_is_waited_for(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "ann")
    account.cloudformation.stacks["parley-ann"]["status"] = "UPDATE_IN_PROGRESS"

    assert delete("ann", "--stack", "parley-ann") == 1

    assert "UPDATE_IN_PROGRESS" in capsys.readouterr().err
    assert account.changes == 0


def test_a_stack_whose_first_deployment_failed_is_deleted(account: Account) -> None:
    """Such a stack has parameters, but no outputs and no resources."""
    create_stage(account, "ann", rule_set="company")
    account.cloudformation.stacks["parley-ann"] |= {"status": "ROLLBACK_COMPLETE", "resources": []}

    assert delete("ann", "--stack", "parley-ann") == 0
    assert account.cloudformation.stacks == {}


def test_a_deletion_that_runs_already_is_waited_for(account: Account) -> None:
    create_stage(account, "ann", rule_set="company")
    account.cloudformation.stacks["parley-ann"]["status"] = "DELETE_IN_PROGRESS"
    for bucket in boto3.client("s3").list_buckets()["Buckets"]:
        buckets.empty(bucket["Name"])
    account.changes = 0

    assert delete("ann", "--stack", "parley-ann") == 0
    assert account.changes == 1
    assert account.cloudformation.stacks == {}


def test_an_active_rule_set_with_rules_of_other_stages_is_not_deactivated(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "ann")
    create_stage(account, "bob", rule_set="parley-ann")
    account.rules.active = "parley-ann"

    assert delete("ann", "--stack", "parley-ann") == 1

    assert "(parley-bob)" in capsys.readouterr().err
    assert (account.rules.active, account.changes) == ("parley-ann", 0)


def test_a_missing_stack_needs_nothing(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    assert delete("ann", "--stack", "parley-ann") == 0

    assert "There is no stack parley-ann" in capsys.readouterr().out
    assert account.changes == 0


def test_what_cloudformation_could_not_delete_is_named_and_the_next_run_finishes(
    account: Account, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A function that was still running stores an object after the bucket was emptied."""
    create_stage(account, "ann")
    empty = buckets.empty

    def late(bucket: str) -> int:
        count = empty(bucket)
        boto3.client("s3").put_object(Bucket=bucket, Key="late", Body=b"x")
        return count

    monkeypatch.setattr(buckets, "empty", late)
    assert delete("ann", "--stack", "parley-ann") == 1
    assert "run the command again" in (error := capsys.readouterr().err)
    assert "BucketNotEmpty" in error

    monkeypatch.setattr(buckets, "empty", empty)
    assert delete("ann", "--stack", "parley-ann") == 0
    assert not any(contents(account).values())


@pytest.mark.parametrize(
    "words",
    [
        ("ann", "--stack", "parley-ann"),
        (*DELETE_PROD, "--lift-protection"),
    ],
    ids=["ann", "prod"],
)
@pytest.mark.long
def test_a_run_that_dies_at_any_call_is_finished_by_the_next_one(
    account: Account, words: tuple[str, ...]
) -> None:
    """After each call: a run that dies before it leaves what one leaves that dies after the call before."""
    stage, killed = words[0], 0
    while True:
        create_stage(account, stage)
        account.rules.active = f"parley-{stage}"
        account.changes, account.kill_at = 0, killed + 1
        try:
            assert delete(*words) == 0
            break
        except Killed:
            killed += 1
        account.kill_at = None
        assert delete(*words) == 0
        assert not any(contents(account).values()), killed
        _forget_deleted_secrets()
        boto3.client("iam").delete_role(RoleName=f"worker-{stage}")
    assert killed > 8


def _forget_deleted_secrets() -> None:
    secrets = boto3.client("secretsmanager")
    for one in secrets.list_secrets(IncludePlannedDeletion=True)["SecretList"]:
        secrets.delete_secret(SecretId=one["ARN"], ForceDeleteWithoutRecovery=True)


@pytest.mark.long
def test_a_bucket_is_emptied_in_pages_with_old_versions_and_delete_markers(
    account: Account,
) -> None:
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="a-bucket")
    s3.put_bucket_versioning(Bucket="a-bucket", VersioningConfiguration={"Status": "Enabled"})
    for number in range(1_001):
        s3.put_object(Bucket="a-bucket", Key=str(number), Body=b"x")
    s3.put_object(Bucket="a-bucket", Key="1", Body=b"y")
    s3.delete_object(Bucket="a-bucket", Key="2")

    assert buckets.count("a-bucket") == 1_003
    assert buckets.empty("a-bucket") == 1_003
    assert (buckets.count("a-bucket"), buckets.empty("a-bucket")) == (0, 0)
    s3.delete_bucket(Bucket="a-bucket")
    assert (buckets.count("a-bucket"), buckets.empty("a-bucket")) == (0, 0)
    assert account.changes > 0


def test_objects_that_s3_does_not_delete_are_an_error(
    account: Account, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    create_stage(account, "ann")
    watched: Callable[[str], Any] = account.watched

    class Locked:
        def __init__(self) -> None:
            self.client = watched("s3")

        def __getattr__(self, name: str) -> Any:
            return getattr(self.client, name)

        def delete_objects(self, **_: Any) -> dict[str, Any]:
            return {"Errors": [{"Code": "AccessDenied"}]}

    monkeypatch.setattr(buckets, "client", lambda _: Locked())

    assert delete("ann", "--stack", "parley-ann") == 1
    assert "AccessDenied" in capsys.readouterr().err
    assert "parley-ann" in account.cloudformation.stacks


@pytest.mark.parametrize(
    "words", [("Prod",), ("a",), ("prod", "--recovery-days", "3"), ("prod", "--data", "some")]
)
def test_a_wrong_command_line_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        delete(*words, "--stack", "parley-prod")


def test_the_template_retains_exactly_what_the_command_deletes_itself() -> None:
    kept = {inventory.TABLE, inventory.BUCKET, inventory.SECRET, inventory.USER_POOL}
    # Policies of retained buckets go with them; the role of API Gateway belongs to the account.
    beside = {"AWS::S3::BucketPolicy", "AWS::ApiGateway::Account", "AWS::IAM::Role"}
    retained = {
        entry["Type"]
        for name, entry in template()["Resources"].items()
        if policy_of(name, inventory.KEEPS_DATA) != "Delete"
    }

    assert retained == kept | beside
    assert {
        entry["Type"]
        for name, entry in template()["Resources"].items()
        if policy_of(name, "ann") != "Delete"
    } == {"AWS::ApiGateway::Account", "AWS::IAM::Role"}
