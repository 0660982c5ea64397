"""Tables that a command measures, put where the README keeps them."""

from pathlib import Path


def replace_section(path: Path, name: str, text: str) -> None:
    """
    Put *text* between the lines `<!-- name:begin -->` and `<!-- name:end -->` of a file, in place of what is there.

    ValueError when the file does not have each of the two exactly once, in this order: then it is left as it is.
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    lines = path.read_text().splitlines()
    if (lines.count(begin), lines.count(end)) != (1, 1) or lines.index(begin) > lines.index(end):
        raise ValueError(f"{path.name} needs one line {begin} and, behind it, one line {end}")
    lines[lines.index(begin) + 1 : lines.index(end)] = text.strip("\n").splitlines()
    path.write_text("\n".join(lines) + "\n")
