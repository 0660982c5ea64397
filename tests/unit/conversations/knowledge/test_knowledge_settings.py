"""The `knowledge_config` of a project."""

from decimal import Decimal
from typing import Any

import pytest

from conversations.ai.config import AiConfigBroken
from conversations.ai.knowledge.settings import KnowledgeConfig


def test_documents_are_off_unless_enabled() -> None:
    assert not KnowledgeConfig.read({}).enabled


def test_sources_are_required_unless_the_project_says_otherwise() -> None:
    assert KnowledgeConfig.read({"enabled": True}).sources_required
    assert not KnowledgeConfig.read({"enabled": True, "sources_required": False}).sources_required


def test_stored_decimals_are_numbers() -> None:
    stored = {
        "retriever": "bedrock",
        "knowledge_base_id": "AB12CD34EF",
        "min_score": Decimal("0.4"),
    }
    assert KnowledgeConfig.read(stored).least_score == 0.4


@pytest.mark.parametrize(
    ("stored", "attribute"),
    [
        ("on", "knowledge_config"),
        (None, "knowledge_config"),
        ({"enabled": "yes"}, "knowledge_config.enabled"),
        ({"min_score": Decimal("1.5")}, "knowledge_config.min_score"),
        ({"retriever": "bedrock"}, "knowledge_config"),
        ({"retriever": "bedrock", "knowledge_base_id": "x"}, "knowledge_config.knowledge_base_id"),
    ],
)
def test_an_invalid_setting_is_named_without_its_value(stored: Any, attribute: str) -> None:
    with pytest.raises(AiConfigBroken) as broken:
        KnowledgeConfig.read(stored)
    assert broken.value.attribute == attribute
