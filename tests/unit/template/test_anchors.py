"""template.yaml: SAM replaces aliases, which CloudFormation does not read; every anchor has an alias."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from local.stack import environments
from tests.template import ROOT, file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = (ROOT / "template.yaml").read_text()
# What `sam build` does with a template after it has built the functions.
_WRITE = """
import sys
from samcli.commands._utils.template import get_template_data, move_template

move_template("template.yaml", sys.argv[1], get_template_data("template.yaml"))
"""


def anchors_in(text: str) -> list[str]:
    return [str(e.anchor) for e in _anchored(text) if not isinstance(e, yaml.AliasEvent)]


def aliases_in(text: str) -> list[str]:
    return [str(e.anchor) for e in _anchored(text) if isinstance(e, yaml.AliasEvent)]


def _anchored(text: str) -> Iterator[yaml.NodeEvent]:
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.NodeEvent) and event.anchor:
            yield event


@pytest.mark.long
def test_sam_writes_a_template_without_aliases(tmp_path: Path) -> None:
    written = tmp_path / "template.yaml"
    subprocess.run(  # noqa: S603 - our own environment and script
        [str(environments.python_of("sam")), "-c", _WRITE, str(written)],
        cwd=ROOT,
        env={"SAM_CLI_TELEMETRY": "0"},
        check=True,
    )

    text = written.read_text()
    assert anchors_in(text) + aliases_in(text) == []
    resources = yaml.safe_load(text)["Resources"]
    assert properties_of(resources) == properties_of(file("template.yaml")["Resources"])


def properties_of(resources: dict[str, Any]) -> dict[str, set[str]]:
    """The names of each resource's properties."""
    return {name: set(entry.get("Properties", {})) for name, entry in resources.items()}


def test_every_anchor_has_a_name_of_its_own_and_an_alias() -> None:
    anchors = anchors_in(SOURCE)

    assert len(anchors) == len(set(anchors))
    assert set(anchors) == set(aliases_in(SOURCE))


def test_the_anchor_of_a_statement_is_its_sid() -> None:
    lines = SOURCE.splitlines()
    statements = [n for n, line in enumerate(lines) if line.startswith(" " * 14 + "- &")]

    assert len(statements) > 30
    for n in statements:
        anchor = lines[n].partition("&")[2].split()[0]
        assert f"Sid: {anchor}" in " ".join(lines[n : n + 3])
