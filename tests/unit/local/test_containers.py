"""The files with which `sam local invoke --config-env local` reaches the local stack."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from local.stack import containers
from local.stack.builds import build
from local.stack.deployment import Stack
from local.stack.functions import Function
from tests.cases import each
from tests.template import ROOT, environment, resources

EMULATOR, SANDBOX = "http://127.0.0.1:4566", "http://127.0.0.1:4600"
BRIDGE = "172.17.0.1"
STACK = Stack(
    stack_name="parley-local", api_url=f"{EMULATOR}/api",
    console_url="", user_pool_id="", console_client_id="", aws_endpoint=EMULATOR, region="us-east-1",
    access_key_id="test", secret_access_key="test", sandbox_url=SANDBOX, trace_daemon="127.0.0.1:2000",
    tables={}, queues={}, buckets={}, secrets={}, topics={},
)  # fmt: skip


def deployed(name: str) -> Function:
    """A function as `functions_of` describes it: variables of the template, and of a process of this machine."""
    given = environment(name, Stage="local", EmulatorUrl=EMULATOR, SandboxUrl=SANDBOX)
    process = {"PATH": "/bin", "LANG": "C.UTF-8", "PYTHONPATH": "/a", "LAMBDA_TASK_ROOT": "/a"}
    of_aws = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test"}
    return Function(name, Path("/a"), "a.handler", {**process, **of_aws, **given})


@each("name", sorted(resources("AWS::Serverless::Function")))
def test_a_container_has_every_variable_of_its_function_and_no_address_of_the_loopback(
    name: str,
) -> None:
    """SAM replaces only variables that the template declares, and generates resource names in all others."""
    declared = environment(name, Stage="local", EmulatorUrl=EMULATOR, SandboxUrl=SANDBOX)

    given = containers.variables_for([deployed(name)], BRIDGE)[name]

    assert given.keys() == declared.keys()
    assert not [text for text in given.values() if "127.0.0.1" in text]
    assert given["AWS_ENDPOINT_URL"] == f"http://{BRIDGE}:4566"


def test_a_container_uses_the_sandbox_for_services_missing_in_the_emulator() -> None:
    given = containers.variables_for([deployed("WhatsAppWorker")], BRIDGE)["WhatsAppWorker"]

    assert given["AWS_ENDPOINT_URL_SOCIALMESSAGING"] == f"http://{BRIDGE}:4600"
    assert given["GRAPH_BASE_URL"] == f"http://{BRIDGE}:4600"


def test_the_stack_writes_the_files_that_samconfig_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tomllib.loads((ROOT / "samconfig.toml").read_text())["local"]["local_invoke"]
    parameters, variables = containers.PARAMETERS, containers.VARIABLES
    monkeypatch.setattr(containers, "PARAMETERS", tmp_path / parameters.name)
    monkeypatch.setattr(containers, "VARIABLES", tmp_path / variables.name)
    monkeypatch.setattr(
        containers, "functions_of", lambda _: {"ApiAuthorizer": deployed("ApiAuthorizer")}
    )
    monkeypatch.setattr(containers, "missing_engine", lambda: "none here")

    containers.admit(STACK)

    assert named["parameters"]["env_vars"] == str(variables.relative_to(ROOT))
    assert named["parameters"]["parameter_overrides"] == [f"file://{parameters.relative_to(ROOT)}"]
    assert named["parameters"]["template_file"] == f"{build.BUILT.relative_to(ROOT)}/template.yaml"
    given = json.loads(containers.PARAMETERS.read_text())
    assert given["Architecture"] == build.host_architecture()
    assert (given["Stage"], given["EmulatorUrl"], given["SandboxUrl"]) == (
        "local",
        EMULATOR,
        SANDBOX,
    )
    assert json.loads(containers.VARIABLES.read_text()).keys() == {"ApiAuthorizer"}
