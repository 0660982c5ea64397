"""Where the demo is shown."""

from rich.console import Console

console = Console(width=118, highlight=False)
