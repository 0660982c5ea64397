"""checkov, as `make lint` runs it: it must find violations in altered templates, as a scanner that reads nothing also
passes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.template import ROOT, file, resources, stacks, template

CHECKOV = ROOT / ".venvs/checkov/bin/checkov"
FUNCTIONS = {f"AWS::Serverless::Function.{name}" for name in resources("AWS::Serverless::Function")}
LOG_GROUPS = {f"AWS::Logs::LogGroup.{name}" for name in resources("AWS::Logs::LogGroup")}
MOST_SUPPRESSED = 16

# The replaced text and its replacement, the check that must report it, and the resource.
SPOILT = [
    ("Runtime: python3.13", "Runtime: python3.6", "CKV_AWS_363", FUNCTIONS),
    (
        "POWERTOOLS_SERVICE_NAME: access",
        "AWS_ACCESS_KEY_ID: AKIAIOSFODNN7EXAMPLE",
        "CKV_AWS_45",
        {"AWS::Serverless::Function.ApiAuthorizer"},
    ),
    (
        "Action: dynamodb:GetItem\n                Resource: !GetAtt SharedData.Outputs.ApiKeysTableArn",
        'Action: "*"\n                Resource: "*"',
        "CKV_AWS_62",
        {"AWS::IAM::Role.ApiAuthorizerRole"},
    ),
    ("RetentionInDays: !Ref LogRetentionDays", "LogGroupClass: STANDARD", "CKV_AWS_66", LOG_GROUPS),
    (
        "BlockPublicAcls: true",
        "BlockPublicAcls: false",
        "CKV_AWS_53",
        {f"AWS::S3::Bucket.{name}" for name in ("EmailBucket", "MediaBucket", "NewslettersBucket")},
    ),
]  # fmt: skip


TEMPLATES = ["template.yaml", *(stack["TemplateURL"] for stack in stacks().values())]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of checkov for altered copies of our templates, with our configuration."""
    texts = {name: (ROOT / name).read_text() for name in TEMPLATES}
    for old, new, _, _ in SPOILT:
        assert any(old in text for text in texts.values())
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    folder: Path = tmp_path_factory.mktemp("spoilt")
    copies = [folder / Path(name).name for name in texts]
    for copy, text in zip(copies, texts.values(), strict=True):
        copy.write_text(text)
    command = [str(CHECKOV), "--config-file", ".checkov.yaml", "--output", "json"]
    files = (part for copy in copies for part in ("--file", str(copy)))
    run = subprocess.run(  # noqa: S603 - our own environment
        [*command, *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def failed(report: dict[str, Any], check: str) -> set[str]:
    """The resources of the altered templates that fail a check."""
    return {
        found["resource"]
        for found in report["results"]["failed_checks"]
        if found["check_id"] == check
    }


def test_make_lint_reads_every_template() -> None:
    assert yaml.safe_load((ROOT / ".checkov.yaml").read_text())["file"] == sorted(
        TEMPLATES, key=_root_first
    )


def _root_first(name: str) -> tuple[bool, str]:
    return name != "template.yaml", name


@pytest.mark.long
def test_all_resources_are_parsed(report: dict[str, Any]) -> None:
    """checkov does not fail for a template that it cannot parse. `make lint` shows that the originals pass."""
    assert report["summary"]["parsing_errors"] == 0
    assert report["summary"]["resource_count"] == sum(
        len(file(name)["Resources"]) for name in TEMPLATES
    )


@pytest.mark.long
@pytest.mark.parametrize(("check", "where"), [(check, where) for _, _, check, where in SPOILT])
def test_the_scanner_reports_every_violation_in_the_altered_copies(
    report: dict[str, Any], check: str, where: set[str]
) -> None:
    assert failed(report, check) == where


def test_every_suppression_has_a_reason_and_their_number_does_not_grow() -> None:
    everywhere = yaml.safe_load((ROOT / ".checkov.yaml").read_text())["skip-check"]
    in_place = [
        skip
        for entry in template()["Resources"].values()
        for skip in entry.get("Metadata", {}).get("checkov", {}).get("skip", [])
    ]

    assert all(len(skip["comment"]) > 20 for skip in in_place)
    assert len({*everywhere, *(skip["id"] for skip in in_place)}) <= MOST_SUPPRESSED
