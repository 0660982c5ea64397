"""template.yaml as CloudFormation's transforms translate it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from local.stack import environments
from tests.template import ROOT
from tests.unit.template.kept import kept

type Resources = dict[str, dict[str, Any]]

# Prints the resources of each set of parameters as JSON. It runs where SAM's translator is installed. On AWS,
# LanguageExtensions runs before it and inserts the values of parameters.
_TRANSLATE = """
import json, re, sys
from samcli.yamlhelper import yaml_parse
from samtranslator.translator.transform import transform

class NoManagedPolicies:
    def load(self):
        return {}

def inserted(match):
    return parameters.get(match[1], match[0])

def without_parameters(value):
    if isinstance(value, list):
        return [without_parameters(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if list(value) == ["Ref"] and value["Ref"] in parameters:
        return parameters[value["Ref"]]
    if list(value) == ["Fn::Sub"] and isinstance(value["Fn::Sub"], str):
        return {"Fn::Sub": re.sub(r"\\$\\{(\\w+)\\}", inserted, value["Fn::Sub"])}
    return {key: without_parameters(entry) for key, entry in value.items()}

code, layer, sets = json.loads(sys.argv[1])
written = json.dumps(yaml_parse(open("template.yaml").read()), default=str)
made = []
for given in sets:
    template = json.loads(written)
    declared = template["Parameters"].items()
    parameters = {name: entry.get("Default", "prod") for name, entry in declared} | given
    template["Globals"] = without_parameters(template["Globals"])
    template["Resources"] = without_parameters(template["Resources"])
    template["Globals"]["Function"]["CodeUri"] = code  # as `sam deploy` writes it
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::LayerVersion":
            resource["Properties"]["ContentUri"] = layer
    made.append(transform(template, parameters, NoManagedPolicies())["Resources"])
print(json.dumps(made))
"""


@cache
def translated(
    *, code: str = "s3://bucket/code", layer: str = "s3://bucket/layer", **given: str
) -> Resources:
    """The root's resources by logical id, including conditional ones, under these parameters and uploaded packages."""
    (made,) = translations([given], code=code, layer=layer)
    return made


def translations(
    sets: Sequence[Mapping[str, str]],
    *,
    code: str = "s3://bucket/code",
    layer: str = "s3://bucket/layer",
) -> list[Resources]:
    """The same for several sets of parameters, in one process. SAM refuses a set: an AssertionError with its text."""
    asked = json.dumps([code, layer, [dict(given) for given in sets]])
    made: list[Resources] = json.loads(kept(asked, lambda: _output(asked)))
    return made


def _output(asked: str) -> str:
    run = subprocess.run(  # noqa: S603 - our own environment and script
        [str(environments.python_of("sam")), "-c", _TRANSLATE, asked],
        cwd=ROOT,
        env={"AWS_DEFAULT_REGION": "us-east-1", "SAM_CLI_TELEMETRY": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout
