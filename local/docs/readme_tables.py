"""Writes measured tables into the marked sections of docs/costs.md and docs/performance.md."""

from pathlib import Path


def replace_section(path: Path, name: str, text: str) -> None:
    """
    Replace the text between the lines `<!-- name:begin -->` and `<!-- name:end -->` of a file by *text*.

    Raises ValueError, and leaves the file unchanged, unless each of the two occurs exactly once and in this order.
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    lines = path.read_text().splitlines()
    if (lines.count(begin), lines.count(end)) != (1, 1) or lines.index(begin) > lines.index(end):
        raise ValueError(f"{path.name} needs one line {begin} and, behind it, one line {end}")
    lines[lines.index(begin) + 1 : lines.index(end)] = text.strip("\n").splitlines()
    path.write_text("\n".join(lines) + "\n")
