"""The knowledge bases of the account."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from local.sandbox.accounts.seeds import Seed


class KnowledgeDocument(Seed):
    """
    A document of one chunk. *location* is shown in results, such as {"type": "WEB", "webLocation": {"url": ...}}.

    *kind* is the type of its content; only TEXT has the text.
    """

    knowledge_base_id: str = Field(pattern=r"^[0-9a-zA-Z]{1,10}$")
    text: str
    metadata: dict[str, Any] = Field(default_factory=dict)
    location: dict[str, Any] | None = None
    score: float | None = None
    kind: Literal["TEXT", "IMAGE"] = "TEXT"


@dataclass
class KnowledgeBases:
    """The documents of all knowledge bases."""

    documents: list[KnowledgeDocument] = field(default_factory=list)
