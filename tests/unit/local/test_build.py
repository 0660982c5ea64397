"""A build has one archive with the code of all functions, and templates in JSON."""

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from local.stack.builds import code, templates
from local.stack.processes import ROOT


def test_the_archive_has_each_file_of_the_folder_and_lambda_may_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "functions"
    (folder / "package").mkdir(parents=True)
    (folder / "package" / "one.py").write_text("1")
    (folder / "package" / "one.py").chmod(0o600)

    archive = code.pack(folder)

    with ZipFile(archive) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == {"package/one.py": b"1"}
        assert [entry.external_attr >> 16 for entry in packed.infolist()] == [0o644]


def test_equal_code_makes_an_equal_archive_whenever_it_was_written(tmp_path: Path) -> None:
    archives = []
    for name in ("first", "second"):
        (tmp_path / name / "functions").mkdir(parents=True)
        for file in ("one.py", "two.py") if name == "first" else ("two.py", "one.py"):
            (tmp_path / name / "functions" / file).write_text(file)
        archives.append(code.pack(tmp_path / name / "functions").read_bytes())

    assert archives[0] == archives[1]


def test_a_copy_replaces_an_earlier_one_and_has_no_bytecode_of_the_sources(tmp_path: Path) -> None:
    folder = tmp_path / "functions"
    folder.mkdir()
    (folder / "removed.py").write_text("1")

    code.copy(folder)

    assert not (folder / "removed.py").exists()
    assert (folder / "whatsapp" / "__init__.py").is_file()
    assert list(folder.rglob("__pycache__")) == []


def test_the_archive_replaces_the_folder_of_the_functions_in_the_template(tmp_path: Path) -> None:
    text = (ROOT / "template.yaml").read_text()

    named = code.naming(tmp_path / "functions.zip", text)

    assert named == text.replace("CodeUri: functions/", f"CodeUri: {tmp_path}/functions.zip")
    assert named != text


@pytest.mark.parametrize("times", [0, 2])
def test_a_template_that_does_not_name_the_folder_once_is_refused(times: int) -> None:
    with pytest.raises(ValueError, match="one line 'CodeUri: functions/'"):
        code.naming(Path("functions.zip"), "Globals:\n" + "    CodeUri: functions/\n" * times)


def test_the_templates_of_a_build_and_of_its_nested_stacks_become_json(tmp_path: Path) -> None:
    (tmp_path / "Data").mkdir()
    (tmp_path / "template.yaml").write_text("Resources:\n  Data: {Type: A, Role: {Ref: B}}\n")
    (tmp_path / "Data" / "template.yaml").write_text("AWSTemplateFormatVersion: '2010-09-09'\n")

    for _ in range(2):
        templates.rewrite(tmp_path)

        assert json.loads((tmp_path / "template.yaml").read_text()) == {
            "Resources": {"Data": {"Type": "A", "Role": {"Ref": "B"}}}
        }
        assert json.loads((tmp_path / "Data" / "template.yaml").read_text()) == {
            "AWSTemplateFormatVersion": "2010-09-09"
        }
