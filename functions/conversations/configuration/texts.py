"""Texts of a project in its settings."""

from typing import Annotated

from pydantic import Field

# One text, or one per language (BCP 47).
type Text = str | Annotated[dict[str, str], Field(min_length=1)]
