"""template.yaml and stacks/: every allowed value of every parameter makes templates that CloudFormation accepts."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from graphlib import TopologicalSorter
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from local.stack import environments
from tests.cases import each
from tests.roles import as_list
from tests.template import (
    PSEUDO_PARAMETERS,
    ROOT,
    file,
    holds,
    parameters,
    resolved,
    stacks,
    template,
)
from tests.unit.template.kept import kept
from tests.unit.template.translated import Resources, translations
from tests.values.pairwise import covering
from tests.values.parameter_values import (
    VALUES,
    completed,
    rows,
    rows_of_the_root,
    with_each_value,
)

EMAIL = {"AlarmEmail": "ops@example.com"}


def test_every_pair_of_values_is_in_a_combination_or_refused_by_a_rule_of_the_template() -> None:
    found = rows()

    for (one, firsts), (other, seconds) in combinations(VALUES.items(), 2):
        for first, second in product(firsts, seconds):
            pair = {one: first, other: second}
            is_covered = any(pair.items() <= row.items() for row in found)
            assert is_covered is not refused(completed(pair)), pair


@each("row", rows(), ids=lambda row: row["LogRetentionDays"])
def test_no_rule_of_the_template_refuses_a_combination(row: dict[str, str]) -> None:
    assert not refused(row | EMAIL)


def refused(given: dict[str, str]) -> bool:
    return any(
        resolved(rule["RuleCondition"], **given)
        and not all(resolved(one["Assert"], **given) for one in rule["Assertions"])
        for rule in template()["Rules"].values()
    )


def test_a_generator_of_combinations_covers_all_pairs_and_obeys_the_rules() -> None:
    values = {"a": ["1", "2"], "b": ["1", "2", "3"], "c": ["1", "2"]}
    is_fitting: Callable[[Any], bool] = lambda row: row.get("a") != "1" or row.get("b") != "3"  # noqa: E731 - a table

    made = covering(values, is_fitting)

    assert all(row.keys() == values.keys() and is_fitting(row) for row in made)
    pairs = {pair for row in made for pair in combinations(row.items(), 2)}
    wanted = {
        ((one, first), (other, second))
        for one, other in combinations(values, 2)
        for first, second in product(values[one], values[other])
    }
    assert wanted - pairs == {(("a", "1"), ("b", "3"))}
    assert len(made) < 12


@cache
def translated_rows() -> list[tuple[dict[str, str], Resources]]:
    """Few sets of parameters with every value, and what SAM makes of each."""
    given = [row | {"Stage": "ann"} for row in with_each_value(rows_of_the_root())]
    return list(zip(given, translations(given), strict=True))


@pytest.mark.long
def test_sam_translates_every_value_and_no_resource_refers_to_one_that_is_missing() -> None:
    for row, made in translated_rows():
        assert {name for name in made if not re.fullmatch(r"[A-Za-z0-9]{1,255}", name)} == set()
        check_references(made, row)


# The only parameter on which the resources depend that SAM makes: it keeps conditions, for CloudFormation.
READ_BY_SAM = "GradualDeployment"


@pytest.mark.long
def test_no_pair_of_values_leaves_a_reference_to_a_resource_that_is_missing() -> None:
    translations_of = {row[READ_BY_SAM]: made for row, made in translated_rows()}

    for row, made in translated_rows():
        assert names(made) == names(translations_of[row[READ_BY_SAM]])
    for row in rows_of_the_root():
        check_references(translations_of[row[READ_BY_SAM]], row | {"Stage": "ann"})


def names(made: Resources) -> set[str]:
    """Logical ids without the hashes of layers and deployments, which all values change."""
    return {re.sub(r"[0-9a-f]{10}$", "", name) for name in made}


def check_references(made: Resources, row: dict[str, str]) -> None:
    """CloudFormation finds each resource that another one refers to, and no cycle among them."""
    assert list(missing_references(made, row)) == []
    depends_on = {
        name: {one.partition(".")[0] for one in references(entry, row)}
        | set(as_list(entry.get("DependsOn", [])))
        for name, entry in made.items()
    }
    TopologicalSorter(depends_on).prepare()  # CycleError if CloudFormation would refuse a cycle


@pytest.mark.long
def test_what_sam_makes_of_every_value_is_linted(tmp_path: Path) -> None:
    """Of the sets after the first, a resource for each text that no earlier one has."""
    linted: set[tuple[str, ...]] = set()
    for number, (row, made) in enumerate(translated_rows()):
        kept = ("AWSTemplateFormatVersion", "Parameters", "Conditions", "Mappings", "Rules")
        translated: dict[str, Any] = {name: file("template.yaml")[name] for name in kept}
        if number == 0:
            translated["Outputs"] = file("template.yaml")["Outputs"]
        translated["Transform"] = "AWS::LanguageExtensions"
        translated["Resources"] = {}
        for name, entry in made.items():
            found = set(texts(entry, row, entry["Type"]))
            if not found <= linted or number == 0:
                translated["Resources"][name] = entry
                linted |= found
        translated = json.loads(json.dumps(translated, default=str))
        for name, value in row.items():
            translated["Parameters"][name] = {"Type": "String", "AllowedValues": [value]}
        (tmp_path / f"{number}.json").write_text(json.dumps(translated))

    reported = faults(*sorted(tmp_path.glob("*.json")))
    assert [line for line in reported if not MISSING.search(line)] == []


# References, which `check_references` finds in all resources.
MISSING = re.compile(r"[1-9]\.json:.*:(E1010|E1019|E1020|E3005):")


def texts(value: Any, row: dict[str, str], *place: str) -> Iterator[tuple[str, ...]]:
    """All texts with their places, without the hashes of versions; of an If only the branch that is taken."""
    if isinstance(value, dict) and "Fn::If" in value:
        condition, when_true, when_false = value["Fn::If"]
        yield from texts(when_true if holds(condition, **row) else when_false, row, *place)
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from texts(entry, row, *place, name)
    elif isinstance(value, list):
        for entry in value:
            yield from texts(entry, row, *place)
    else:
        yield *place, re.sub(r"[0-9a-f]{10}$", "", str(value))


@pytest.mark.long
@each("stack", stacks())
def test_no_nested_stack_refers_to_a_resource_that_is_missing_in_a_combination(stack: str) -> None:
    nested = file(stacks()[stack]["TemplateURL"])

    for row in rows():
        assert list(missing_references(nested["Resources"], row)) == []
        for output in nested.get("Outputs", {}).values():
            if "Condition" not in output or holds(output["Condition"], **row):
                assert list(missing_references(nested["Resources"], row, output["Value"])) == []


def missing_references(
    entries: dict[str, dict[str, Any]], row: dict[str, str], within: Any = None
) -> Iterator[str]:
    """References to resources or outputs that do not exist under these parameters; *within* or in all that exist."""
    existing = {
        n for n, e in entries.items() if "Condition" not in e or holds(e["Condition"], **row)
    }
    known = (
        existing
        | parameters({}).keys()
        | PSEUDO_PARAMETERS.keys()
        | {"AWS::NoValue"}
        | set(template()["Resources"])
    )
    # A resource of this template counts only if it exists.
    known -= entries.keys() - existing
    values = (
        [entries[name].get("Properties", {}) for name in existing] if within is None else [within]
    )
    for reference in references(values, row):
        name, _, attribute = reference.partition(".")
        if name in stacks() and attribute.startswith("Outputs."):
            output = file(stacks()[name]["TemplateURL"])["Outputs"][
                attribute.removeprefix("Outputs.")
            ]
            if "Condition" in output and not holds(output["Condition"], **row):
                yield reference
        elif name not in known:
            yield reference


def references(value: Any, row: dict[str, str]) -> Iterator[str]:
    """Names after Ref and GetAtt, and in texts of Sub; of an If only the branch that is taken."""
    if isinstance(value, list):
        for entry in value:
            yield from references(entry, row)
    if not isinstance(value, dict):
        return
    for name, argument in value.items():
        if name == "Fn::If":
            condition, when_true, when_false = argument
            yield from references(when_true if holds(condition, **row) else when_false, row)
        elif name == "Ref":
            yield argument
        elif name == "Fn::GetAtt":
            yield argument if isinstance(argument, str) else ".".join(argument)
        elif name == "Fn::Sub":
            text, own = argument if isinstance(argument, list) else (argument, {})
            yield from references(list(own.values()), row)
            yield from (one for one in re.findall(r"\$\{([\w:.]+)\}", text) if one not in own)
        else:
            yield from references(argument, row)


@pytest.mark.long
def test_every_value_is_linted_in_the_nested_stacks_that_get_it(tmp_path: Path) -> None:
    """`sam validate --lint` checks the root with its lists of values; nested stacks do not repeat these lists."""
    for stack in stacks().values():
        nested = json.loads(json.dumps(file(stack["TemplateURL"])))
        for name in nested["Parameters"].keys() & VALUES.keys():
            nested["Parameters"][name]["AllowedValues"] = VALUES[name]
        (tmp_path / f"{Path(stack['TemplateURL']).stem}.json").write_text(json.dumps(nested))
    # The lint finds a value that a property does not allow.
    wrong = json.loads(json.dumps(file("stacks/logs.yaml")))
    wrong["Parameters"]["LogRetentionDays"]["AllowedValues"] = ["7", "8"]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))

    found = faults(*sorted(tmp_path.glob("*.json")))

    assert {Path(line.partition(":")[0]).name for line in found} == {"wrong.json"}
    assert "LogRetentionDays" in found[0]


def faults(*files: Path) -> list[str]:
    """
    Errors, and values of parameters that a property does not allow (W1030).

    Other warnings are about templates whose conditions are decided, and about the paths of nested stacks.
    """
    return [line for line in lint(*files).splitlines() if re.search(":(E[0-9]+|W1030):", line)]


def lint(*files: Path) -> str:
    """The output of cfn-lint."""
    asked = json.dumps({one.name: one.read_text() for one in files})
    return kept(asked, lambda: _linted(files))


def _linted(files: Sequence[Path]) -> str:
    run = subprocess.run(  # noqa: S603 - our own environment
        [
            str(environments.python_of("sam").parent / "cfn-lint"),
            *("--regions", "us-east-1", "--format", "parseable", "--", *map(str, files)),
        ],
        cwd=ROOT,
        env={"AWS_DEFAULT_REGION": "us-east-1", "SAM_CLI_TELEMETRY": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in run.stderr, run.stderr
    return run.stdout
