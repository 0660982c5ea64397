"""The build for AWS has libraries for the processor of the parameter Architecture, on any host."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from local.stack.builds import build
from local.stack.processes import ROOT

pytestmark = pytest.mark.long
# The field e_machine of an ELF file.
MACHINE = slice(18, 20)
AARCH64 = 183


def machines_of_libraries(folder: Path) -> dict[str, int]:
    """The processor of each compiled library in a folder."""
    found = {}
    for path in folder.rglob("*.so*"):
        header = path.read_bytes()[:20]
        assert header.startswith(b"\x7fELF"), path
        found[str(path.relative_to(folder))] = int.from_bytes(header[MACHINE], "little")
    return found


def test_a_build_for_arm64_has_libraries_for_aarch64_only(tmp_path: Path) -> None:
    arguments = build.build_arguments("arm64", tmp_path / "build")

    ran = subprocess.run(  # noqa: S603 - our own environment and template
        build.sam_command(arguments[0], "SharedLayer", *arguments[1:]),
        cwd=ROOT,
        env=build.sam_environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr[-2_000:]
    libraries = machines_of_libraries(tmp_path / "build" / "SharedLayer")
    assert {name for name in libraries if "pydantic_core" in name}
    assert {name: m for name, m in libraries.items() if m != AARCH64} == {}
