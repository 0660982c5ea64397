"""The console that the demo prints to."""

from rich.console import Console

console = Console(width=118, highlight=False)
