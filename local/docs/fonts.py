"""Lists the characters that the shipped fonts have glyphs for: `python -m local.docs.fonts` writes coverage.json."""

import json
from collections import defaultdict
from pathlib import Path

from fontTools.ttLib import TTFont

from local.stack.processes import ROOT

FOLDER = ROOT / "layers" / "exports" / "fonts"
COVERAGE = ROOT / "functions" / "newsletters" / "exports" / "coverage.json"


def coverage(folder: Path) -> list[tuple[int, int]]:
    """Return the code points that all faces of one of the families have, as sorted ranges (first, last)."""
    families: dict[str, list[set[int]]] = defaultdict(list)
    for file in sorted(folder.glob("*.ttf")):
        with TTFont(file) as font:
            families[font["name"].getDebugName(1)].append(set(font.getBestCmap()))
    return _ranges(set().union(*(set.intersection(*faces) for faces in families.values())))


def _ranges(points: set[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for point in sorted(points):
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return ranges


if __name__ == "__main__":
    COVERAGE.write_text(json.dumps(coverage(FOLDER), separators=(",", ":")) + "\n")
