"""The fonts that are shipped."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Final

# In the order in which they are tried for each character.
FAMILIES: Final = (
    "Noto Sans",
    "Noto Naskh Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Ethiopic",
    "Noto Sans Devanagari",
    "Noto Sans Math",
    "Noto Sans Symbols",
    "Noto Sans Symbols2",
)
MONOSPACE: Final = "DejaVu Sans Mono"  # is part of typst
_FILE: Final = "NotoSans-Regular.ttf"  # of the folder


class FontsMissing(Exception):
    """The layer with the fonts is not attached to the function."""


@cache
def fonts_folder() -> Path:
    """
    Return the folder with the fonts: of the layer, whose root is on the import path, or of the repository.

    Raises FontsMissing.
    """
    layer = (Path(entry, "fonts") for entry in sys.path)
    repository = (parent / "layers" / "exports" / "fonts" for parent in Path(__file__).parents)
    for folder in (*layer, *repository):
        if (folder / _FILE).is_file():
            return folder
    raise FontsMissing("no folder fonts with Noto Sans on the import path")
