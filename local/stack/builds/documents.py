"""The pages of the documentation that the console brings, and to which its help leads."""

from pathlib import Path

from local.stack.processes import ROOT

FOLDER = ROOT / "docs"
# What only people read who change Parley itself.
_OF_DEVELOPERS = {"decisions", "tables", "architecture.md", "performance.md"}


def pages() -> list[Path]:
    """Return the Markdown files, in the order of their names."""
    found = sorted(FOLDER.rglob("*.md"))
    return [page for page in found if page.relative_to(FOLDER).parts[0] not in _OF_DEVELOPERS]
