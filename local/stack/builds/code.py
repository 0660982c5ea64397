"""
Copies the code of the functions, which is the same for all of them, and packs it into one archive.

`sam build` would write a folder for each function, and `sam deploy` would pack each folder anew. Both leave an archive
as it is.
"""

import shutil
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from local.stack.processes import ROOT

SOURCE: Final = ROOT / "functions"
IN_TEMPLATE: Final = "CodeUri: functions/\n"
# The smallest that an archive can hold: equal files make equal archives, which `sam deploy` uploads once.
_DATE: Final = (1980, 1, 1, 0, 0, 0)
_READABLE_BY_ALL: Final = 0o644 << 16


def copy(folder: Path) -> None:
    """Replace a folder by a copy of the functions, without bytecode."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))


def pack(folder: Path) -> Path:
    """Pack a folder into the archive beside it, and return the archive."""
    archive = folder.with_suffix(".zip")
    with ZipFile(archive, "w", ZIP_DEFLATED) as packed:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = ZipInfo(file.relative_to(folder).as_posix(), _DATE)
            entry.external_attr = _READABLE_BY_ALL
            packed.writestr(entry, file.read_bytes(), ZIP_DEFLATED)
    return archive


def naming(archive: Path, template: str) -> str:
    """Return the text of a template with the archive as the code of all functions; ValueError if it names no folder."""
    if template.count(IN_TEMPLATE) != 1:
        raise ValueError(f"the template does not contain one line {IN_TEMPLATE.strip()!r}")
    return template.replace(IN_TEMPLATE, f"CodeUri: {archive}\n")
