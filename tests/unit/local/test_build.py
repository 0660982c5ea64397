"""Functions with equal code are packed once: they refer to one folder of the build."""

from pathlib import Path

from local.stack.builds.build import share_code

TEMPLATE = """\
Resources:
  First:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: First
      Handler: one.handler
  Second:
    Properties:
      CodeUri: Second
  Other:
    Properties:
      CodeUri: Other
  Layer:
    Properties:
      ContentUri: Second
  Remote:
    Properties:
      CodeUri: s3://bucket/key
"""


def test_functions_with_equal_code_refer_to_the_first_of_them(tmp_path: Path) -> None:
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    for name, code in {"First": "1", "Second": "1", "Other": "2"}.items():
        module = tmp_path / name / "package" / "one.py"
        module.parent.mkdir(parents=True)
        module.write_text(code)

    share_code(tmp_path)

    written = (tmp_path / "template.yaml").read_text()
    assert written == TEMPLATE.replace("CodeUri: Second", "CodeUri: First")


def test_code_at_another_path_is_other_code(tmp_path: Path) -> None:
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    for name, file in {"First": "one.py", "Second": "two.py", "Other": "package/one.py"}.items():
        module = tmp_path / name / file
        module.parent.mkdir(parents=True)
        module.write_text("1")

    share_code(tmp_path)

    assert (tmp_path / "template.yaml").read_text() == TEMPLATE
