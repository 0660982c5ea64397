"""`python -m operations stage delete` on a deployed stack."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from local.stack.processes import ROOT
from tests.e2e.bare_stack import CREDENTIALS, NAME, REGION, BareStack, bare_stack
from tests.e2e.conftest import Deployed

COMPANY_SECRET = "parley/local/companies/acme/twilio"
FLOW_KEY = "/parley/local/whatsapp-flow-keys/acme"


@pytest.fixture
def bare(deployed: Deployed) -> Iterator[BareStack]:
    stack = bare_stack(deployed.stack)
    try:
        assert stack.create() == ("CREATE_COMPLETE", [])
        yield stack
    finally:
        stack.delete()


def delete(bare: BareStack, *options: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}
    return subprocess.run(  # noqa: S603 - our own program
        [
            *(sys.executable, "-m", "operations", "stage", "delete", "local"),
            *("--stack", NAME, *options),
        ],
        cwd=ROOT,
        env={
            **inherited,
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": bare.endpoint,
            "AWS_DEFAULT_REGION": REGION,
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
def test_a_stage_is_deleted_with_its_data_and_what_functions_made_beside_the_stack(
    bare: BareStack,
) -> None:
    s3, ssm, secrets = (bare.client(name) for name in ("s3", "ssm", "secretsmanager"))
    for bucket in bare.buckets():
        s3.put_object(Bucket=bucket, Key="kept/object", Body=b"x")
    ssm.put_parameter(Name=FLOW_KEY, Value="x", Type="String")
    secrets.create_secret(Name=COMPANY_SECRET, SecretString="x")

    planned = delete(bare, "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert bare.settled() == "CREATE_COMPLETE"
    assert f"{bare.buckets()[0]}: 1 versions" in planned.stdout
    tables = bare.client("dynamodb").list_tables()["TableNames"]
    assert f"tables: {len(tables)} to delete" in planned.stdout
    assert "parameters: 1 parameter" in planned.stdout
    assert "44 functions" in planned.stdout
    assert ssm.get_parameter(Name=FLOW_KEY)["Parameter"]["Value"] == "x"

    done = delete(bare)
    assert done.returncode == 0, done.stderr
    assert bare.settled() == ""
    assert bare.buckets() == []
    assert bare.client("dynamodb").list_tables()["TableNames"] == []
    assert bare.client("cognito-idp").list_user_pools(MaxResults=10)["UserPools"] == []
    assert ssm.get_parameters_by_path(Path="/parley/", Recursive=True)["Parameters"] == []
    assert "DeletedDate" in secrets.describe_secret(SecretId=COMPANY_SECRET)

    again = delete(bare)
    assert again.returncode == 0
    assert f"There is no stack {NAME}" in again.stdout
