"""All parameters of the template with a list of allowed values, and combinations of these that may be deployed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tests.template import ACCOUNT, REGION, file, stacks, template
from tests.values.pairwise import Row, covering

MODEL: Final = f"arn:aws:bedrock:{REGION}::foundation-model/anthropic.claude-haiku-4-5"
VALUES: Final = {
    name: [str(value) for value in entry["AllowedValues"]]
    for path in ("template.yaml", *(stack["TemplateURL"] for stack in stacks().values()))
    for name, entry in file(path)["Parameters"].items()
    if "AllowedValues" in entry
}


def is_allowed(row: Mapping[str, str]) -> bool:
    """Whether the rules of the template allow these values together, with the parameters that `completed` adds."""
    return row.get("Alarms") != "none" or row.get("GradualDeployment", "none") == "none"


def completed(row: Row) -> Row:
    """The values, with the free parameters that the rules of the template ask for."""
    more: Row = {}
    if row.get("MessagesTableNaming") == "existing":
        table = template()["Parameters"]["MessagesTableName"]["Default"]
        more["MessagesTableStreamArn"] = (
            f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}/stream/2026-01-01T00:00:00.000"
        )
    if row.get("RichpanelClassifier") == "model":
        more["RichpanelModelId"] = "anthropic.claude-haiku-4-5"
        if row.get("RichpanelModelProvider", "bedrock") == "bedrock":
            more["RichpanelModelArns"] = MODEL
    return row | more


def rows() -> list[Row]:
    """Sets of parameters in which every allowed pair of values occurs."""
    return [completed(row) for row in covering(VALUES, is_allowed)]


def rows_of_the_root() -> list[Row]:
    """The same for the values that the root reads itself; it only hands the others to nested stacks."""
    read = {name: values for name, values in VALUES.items() if name in _read_by_the_root()}
    return [completed(row) for row in covering(read, is_allowed)]


def rows_to_deploy() -> list[Row]:
    """The rows of the root, with each value of the other parameters in at least one of them."""
    found = rows_of_the_root()
    others = {name: values for name, values in VALUES.items() if name not in _read_by_the_root()}
    assert len(found) >= max(map(len, others.values()))
    return [
        row | {name: values[number % len(values)] for name, values in others.items()}
        for number, row in enumerate(found)
    ]


def with_each_value(found: Sequence[Row]) -> list[Row]:
    """Few of these rows, in which each of their values occurs."""
    chosen: list[Row] = []
    missing = {value for row in found for value in row.items()}
    while missing:
        best = max(found, key=lambda row: len(missing & row.items()))
        missing -= best.items()
        chosen.append(best)
    return chosen


def _read_by_the_root() -> set[str]:
    root = file("template.yaml")
    entries = root["Resources"].values()
    resources = [one for one in entries if one["Type"] != "AWS::CloudFormation::Stack"]
    text = str([root["Globals"], root["Conditions"], root["Rules"], resources])
    return set(re.findall(r"\{'Ref': '(\w+)'\}", text)) | set(re.findall(r"\$\{(\w+)\}", text))
