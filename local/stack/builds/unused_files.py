"""
Removes files from built layers that no function can use.

A function and its layers may have 250 MB unzipped, and the installation of a package cannot leave out parts of it:

- of phonenumbers, the names of places and networks by number, in separate modules that nothing imports;
- of botocore, the models of services whose name no string of our code is, but for words of ours: nothing can ask for a
  client;
- in the layer of the renderers, files that the layer of all functions has too: both are unpacked into one folder.
"""

import re
import shutil
from collections.abc import Iterator
from filecmp import cmp
from pathlib import Path
from typing import Final

from local.stack.processes import ROOT

LIBRARIES: Final = "python"  # where Lambda looks in a layer
CODE: Final = (ROOT / "functions", ROOT / "layers" / "shared")
UNUSED_MODULES: Final = ("carrier", "geocoder")
UNUSED_DATA: Final = ("carrierdata", "geodata")
# Words of ours, of which no client is made.
OUR_WORDS: Final = frozenset(
    {"account", "billing", "connect", "deadline", "es", "location", "schemas", "support"}
)
_STRING = re.compile(r"[\"']([a-z0-9-]+)[\"']")


def remove(built: Path) -> None:
    """Remove the unused files from the layers in a folder. Safe to repeat."""
    shared, exports = (built / layer / LIBRARIES for layer in ("SharedLayer", "ExportsLayer"))
    for folder in (*_places_by_number(shared), *_models(shared, used_services(shared))):
        shutil.rmtree(folder) if folder.is_dir() else folder.unlink(missing_ok=True)
    for file in [file for file in exports.rglob("*") if file.is_file()]:
        same = shared / file.relative_to(exports)
        if same.is_file() and cmp(same, file, shallow=False):
            file.unlink()


def used_services(libraries: Path) -> set[str]:
    """Return the services of AWS that a string in our code names, alone: each may be the argument of a client."""
    strings: set[str] = set()
    for folder in CODE:
        for file in folder.rglob("*.py"):
            strings |= set(_STRING.findall(file.read_text()))
    return ({service.name for service in _services(libraries)} & strings) - OUR_WORDS


def _models(libraries: Path, used: set[str]) -> list[Path]:
    return [service for service in _services(libraries) if service.name not in used]


def _services(libraries: Path) -> Iterator[Path]:
    return (path for path in (libraries / "botocore" / "data").iterdir() if path.is_dir())


def _places_by_number(libraries: Path) -> list[Path]:
    package = libraries / "phonenumbers"
    return [
        *(package / name for name in UNUSED_DATA),
        *(package / f"{name}.py{kind}" for name in UNUSED_MODULES for kind in ("", "i")),
    ]
