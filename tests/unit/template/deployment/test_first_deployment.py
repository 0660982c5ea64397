"""template.yaml, samconfig.toml, README.md: a new AWS account deploys at the first attempt, and no stage by mistake."""

from __future__ import annotations

import re
import shlex
import tomllib
from typing import Any

import pytest

from local.stack.builds import build
from tests.template import ROOT, environment, exists, parameters, properties, resolved, template

SAMCONFIG = tomllib.loads((ROOT / "samconfig.toml").read_text())
STAGES = [name for name, entry in SAMCONFIG.items() if name != "version"]
EMULATOR = "http://127.0.0.1:4566"


def overrides_of(environment_name: str) -> dict[str, str]:
    """The parameters of an environment of samconfig.toml."""
    given = SAMCONFIG[environment_name]["global"]["parameters"]["parameter_overrides"]
    return dict(pair.split("=", 1) for pair in given)


def refused_by(rule: str, **given: str) -> bool:
    """Whether a rule of the template refuses a deployment with these parameters."""
    wanted = template()["Rules"][rule]
    applies = resolved(wanted["RuleCondition"], **given)
    return applies and not all(resolved(one["Assert"], **given) for one in wanted["Assertions"])


@pytest.mark.parametrize(
    ("environment_name", "stage"),
    [
        ("default", "dev"),
        ("local", "local"),
        ("dev", "dev"),
        ("staging", "staging"),
        ("prod", "prod"),
    ],
)
def test_each_environment_of_samconfig_deploys_its_stage(environment_name: str, stage: str) -> None:
    config = SAMCONFIG[environment_name]["global"]["parameters"]
    given = overrides_of(environment_name)

    assert given["Stage"] == stage
    assert set(given) <= set(template()["Parameters"])
    assert config["stack_name"] == f"parley-{stage}"


def test_sam_deploy_without_an_environment_is_a_deployment_of_dev() -> None:
    named = {name: entry for name, entry in SAMCONFIG["default"].items() if name != "validate"}

    assert named == SAMCONFIG["dev"]


def test_the_environment_of_the_local_stack_names_the_folder_that_make_up_builds_into() -> None:
    folder = build.BUILT.relative_to(ROOT)

    assert SAMCONFIG["local"]["build"]["parameters"]["build_dir"] == str(folder)
    assert SAMCONFIG["local"]["deploy"]["parameters"]["template_file"] == f"{folder}/template.yaml"


def test_a_build_for_this_machine_does_not_change_the_build_for_aws() -> None:
    arguments = build.build_arguments("x86_64", build.BUILT)

    assert build.FOR_AWS == ROOT / ".aws-sam" / "build"  # the default of `sam deploy`
    assert not [word for word in arguments if ".aws-sam" in word]
    assert "--cache-dir" in arguments


@pytest.mark.parametrize("stage", ["dev", "staging", "prod"])
def test_no_function_reserves_concurrency_unless_asked_to(stage: str) -> None:
    given = overrides_of(stage)

    assert parameters(given)["RichpanelSweepReserved"] == "false"
    assert "ReservedConcurrentExecutions" not in properties("RichpanelSweep", **given)


def test_one_stage_of_an_account_sets_the_logging_role_of_api_gateway() -> None:
    creates = [stage for stage in STAGES if exists("ApiLoggingRole", **overrides_of(stage))]

    assert creates == ["prod"]
    assert {parameters(overrides_of(stage))["ApiAccessLogs"] for stage in ("dev", "staging")} == {
        "none"
    }


def test_the_stage_local_is_refused_without_an_emulator() -> None:
    rule = "TheLocalStackHasAnEmulator"

    assert refused_by(rule, Stage="local")
    assert not refused_by(rule, Stage="local", EmulatorUrl=EMULATOR)
    assert not refused_by(rule, Stage="dev")


def test_production_is_refused_without_a_recipient_of_its_alarms() -> None:
    rule = "ProductionAlarmsReachAPerson"

    assert refused_by(rule, Stage="prod")
    assert not refused_by(rule, Stage="prod", AlarmEmail="ops@example.com")
    assert not refused_by(rule, Stage="staging")


@pytest.mark.parametrize(
    "page", ["README.md", "docs/connect/email.md", "docs/connect/richpanel.md"]
)
def test_the_commands_for_production_keep_the_settings_of_samconfig(page: str) -> None:
    """An override on the command line replaces the whole list of samconfig.toml."""
    given = _given_for_production((ROOT / page).read_text())

    assert overrides_of("prod").items() <= given.items()
    assert not refused_by("ProductionAlarmsReachAPerson", **given)


def _given_for_production(text: str) -> dict[str, str]:
    commands = re.findall(r"^.*--config-env prod --parameter-overrides (.+)$", text, re.MULTILINE)
    if commands:
        return dict(word.split("=", 1) for word in shlex.split(commands[0]))
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    return dict(line.strip().split(": ", 1) for line in block.strip().splitlines())


@pytest.mark.parametrize(
    ("naming", "name", "is_created"),
    [
        ("append-stage", "inbox-dev", True),
        ("exact", "inbox", True),
        ("existing", "inbox", False),
    ],
)
def test_the_whatsapp_table_has_a_name_of_its_stage_an_exact_one_or_exists_already(
    naming: str, name: str, *, is_created: bool
) -> None:
    given = {"MessagesTableName": "inbox", "MessagesTableNaming": naming}

    assert exists("WhatsAppTable", **given) is is_created
    assert environment("WhatsAppWorker", **given)["MESSAGES_TABLE_NAME"] == name
    assert _tables_in(properties("WhatsAppWorkerRole", **given)) >= {name}
    assert f'"TableName", "{name}"' in properties("Dashboard", **given)["DashboardBody"]


def _tables_in(value: Any) -> set[str]:
    return set(re.findall(r":table/([\w.-]+)'", str(value)))
