"""The `knowledge_config` of a project: whether its model searches the company's documents, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationError

from conversations.ai.config import AiConfigBroken
from shared.ai.retrieval.settings import RetrievalSettings
from shared.aws.tables.dynamodb_json import plain
from shared.runtime.validation.validation_errors import errors_of, rule_of

ATTRIBUTE = "knowledge_config"
MOST_TOPICS = 20
type Topic = Annotated[str, Field(min_length=1, max_length=60)]


class KnowledgeConfig(RetrievalSettings):
    """
    The settings of the retriever, and whether the model has it.

    With *sources_required* an answer for which documents were searched is sent only if it cites one of them. With
    *topics* only documents with one of these are searched.
    """

    enabled: bool = False
    sources_required: bool = True
    topics: Annotated[list[Topic], Field(max_length=MOST_TOPICS, default_factory=list)]

    @classmethod
    def read(cls, knowledge_config: object) -> KnowledgeConfig:
        """Parse the attribute of a company-data item. Raises AiConfigBroken."""
        if not isinstance(knowledge_config, Mapping):
            raise AiConfigBroken(ATTRIBUTE)
        try:
            return cls.model_validate_json(json.dumps(plain(dict(knowledge_config))))
        except TypeError:
            raise AiConfigBroken(ATTRIBUTE) from None
        except ValidationError as error:
            first = errors_of(error)[0]
            path = ".".join([ATTRIBUTE, *map(str, first["loc"])])
            raise AiConfigBroken(path, rule_of(first)) from None
