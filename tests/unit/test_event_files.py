"""The command that writes the sample events, and the files that are kept."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from events import generated_files
from events.whatsapp.actions import KEPT
from events.whatsapp.direct import action_calls, direct_events
from events.whatsapp.generated_files import files
from events.whatsapp.samples import samples
from tests.template import ROOT

EVENTS = ROOT / "events"
LISTING = ROOT / "functions/whatsapp/actions/dispatch/listing.json"


def test_the_files_match_the_generator() -> None:
    assert generated_files.outdated(files()) == [], "run python -m events"
    # Each name is used once; one more is the README.
    assert len(files()) == len(samples()) + len(direct_events()) + len(KEPT) + 1


def test_the_call_of_one_action_of_each_group_is_kept() -> None:
    groups = {action["name"]: action["group"] for action in json.loads(LISTING.read_text())}

    assert sorted(groups[name] for name in KEPT) == sorted(set(groups.values()))


def test_the_command_writes_every_event_below_another_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "events", "--write", str(tmp_path)]
    subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - our own module

    calls = {path.stem: json.loads(path.read_text()) for path in tmp_path.glob("*/actions/*.json")}
    assert calls == {call.name: call.event for call in action_calls()}
    kept = {path.relative_to(EVENTS) for path in EVENTS.rglob("*.json")}
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.json")}
    assert kept <= written
    assert [
        path for path in kept if (EVENTS / path).read_bytes() != (tmp_path / path).read_bytes()
    ] == []


def test_a_changed_missing_or_obsolete_file_is_outdated_and_rewritten(tmp_path: Path) -> None:
    changed, missing, left_over, fine = (tmp_path / f"{name}.json" for name in "cmlf")
    for path in (changed, left_over, fine):
        path.write_text("old", encoding="utf-8")
    expected = {changed: "new", missing: "new", fine: "old"}

    assert generated_files.outdated(expected) == [changed, left_over, missing]
    assert generated_files.write(expected) == [changed, left_over, missing]
    assert generated_files.outdated(expected) == []
    assert sorted(tmp_path.iterdir()) == [changed, fine, missing]


@pytest.mark.parametrize("option", ["--check", "--other"])
def test_the_command_checks_the_files_of_all_contexts_and_refuses_other_options(
    option: str,
) -> None:
    command = [sys.executable, "-m", "events", option]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own module

    assert ran.returncode == (0 if option == "--check" else 2), ran.stdout + ran.stderr
