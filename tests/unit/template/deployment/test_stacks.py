"""template.yaml and stacks/: every stack is far below CloudFormation's limits, and all deploy together."""

from __future__ import annotations

from typing import Any

from tests.cases import each
from tests.template import ROOT, file, stacks
from tests.unit.template.translated import translated

TEMPLATES = ["template.yaml", *(stack["TemplateURL"] for stack in stacks().values())]
# CloudFormation refuses a stack of more than 500 resources. One more context must still fit.
MOST_RESOURCES = 400
# 220 with three contexts, about 30 for each further one, and for actions and console
MOST_RESOURCES_OF_THE_ROOT = 400
# With this parameter the root has the most resources: a deployment group for each function.
GRADUAL = "Linear10PercentEvery1Minute"
# The quotas of CloudFormation for one template.
MOST_PARAMETERS_AND_OUTPUTS = 200
MOST_BYTES = 460_800


def made(path: str) -> set[str]:
    """The logical ids of all resources of a template, including conditional ones."""
    return set(
        translated(GradualDeployment=GRADUAL)
        if path == "template.yaml"
        else file(path)["Resources"]
    )


@each("path", TEMPLATES)
def test_a_stack_is_below_the_resource_limit(path: str) -> None:
    most = MOST_RESOURCES_OF_THE_ROOT if path == "template.yaml" else MOST_RESOURCES

    assert 0 < len(made(path)) <= most, f"move resources of {path} to another file of stacks/"


@each("path", TEMPLATES)
def test_a_stack_keeps_the_quotas_of_cloudformation(path: str) -> None:
    assert len(file(path)["Parameters"]) <= MOST_PARAMETERS_AND_OUTPUTS
    assert len(file(path).get("Outputs", {})) <= MOST_PARAMETERS_AND_OUTPUTS
    assert (ROOT / path).stat().st_size <= MOST_BYTES


def test_every_file_of_the_folder_is_deployed_once() -> None:
    files = sorted(f"stacks/{path.name}" for path in (ROOT / "stacks").iterdir())

    assert sorted(stack["TemplateURL"] for stack in stacks().values()) == files


@each("stack", stacks())
def test_a_stack_has_its_parameters_from_the_root_under_the_same_names(stack: str) -> None:
    """
    tests/template.py reads all stacks as one template, so a name must have the same meaning in each.

    A parameter may have the name of a resource of the root, such as ParleyApi; its value is then the resource's id.
    """
    given = stacks()[stack]["Parameters"]
    declared = file(stacks()[stack]["TemplateURL"])["Parameters"]
    root = file("template.yaml")
    types = {name: {"Type": "String"} for name in root["Resources"]}
    types |= {name: {"Type": entry["Type"]} for name, entry in root["Parameters"].items()}

    assert given == {name: {"Ref": name} for name in declared}
    assert declared == {name: types[name] for name in declared}


@each("stack", stacks())
def test_a_condition_means_the_same_in_every_stack(stack: str) -> None:
    ours: dict[str, Any] = file(stacks()[stack]["TemplateURL"]).get("Conditions", {})
    others = (file(path).get("Conditions", {}) for path in TEMPLATES)

    for conditions in others:
        shared = ours.keys() & conditions.keys()
        assert {name: ours[name] for name in shared} == {name: conditions[name] for name in shared}


def test_no_two_stacks_have_resources_of_one_name() -> None:
    names = [name for path in TEMPLATES for name in file(path)["Resources"]]

    assert len(names) == len(set(names))


@each("stack", stacks())
def test_every_output_of_a_data_stack_is_used_by_the_root(stack: str) -> None:
    text = (ROOT / "template.yaml").read_text()
    outputs = file(stacks()[stack]["TemplateURL"]).get("Outputs", {})

    assert [name for name in outputs if f"{stack}.Outputs.{name}" not in text] == []


def test_the_canary_runs_on_aws_only() -> None:
    """SAM takes a condition in `Enabled` for true; `State` passes it on."""
    canary = translated()["WhatsAppCanarySchedule"]["Properties"]

    assert canary["State"] == {"Fn::If": ["OnAws", "ENABLED", "DISABLED"]}
