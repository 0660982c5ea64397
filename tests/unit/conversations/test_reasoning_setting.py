"""The `reasoning` setting of `openai_config`."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.ai.config import AiConfig, AiConfigBroken

OWN = {"model": "m", "api_key_reference": "r"}


def read(provider: str = "openai", **own: object) -> AiConfig:
    ai: dict[str, Any] = {"provider": provider, f"{provider}_config": {"sms": OWN | own}}
    return AiConfig.read(ai, "sms")


def test_an_effort_has_a_budget_of_its_own_by_default() -> None:
    reasoning = read(reasoning={"effort": "low"}).reasoning

    assert reasoning is not None
    assert (reasoning.effort, reasoning.max_tokens) == ("low", 4_096)
    assert read().reasoning is None


@pytest.mark.parametrize(
    ("provider", "own", "attribute"),
    [
        ("openai", {"reasoning": {"effort": "much"}}, "openai_config.sms.reasoning.effort"),
        ("openai", {"reasoning": {}}, "openai_config.sms.reasoning.effort"),
        (
            "openai",
            {"reasoning": {"effort": "low", "max_tokens": -1}},
            "openai_config.sms.reasoning.max_tokens",
        ),
        ("openai", {"reasoning": {"effort": "low"}, "temperature": 0.5}, "openai_config.sms"),
        ("bedrock", {"reasoning": {"effort": "low"}}, "bedrock_config.sms"),
    ],
)
def test_a_setting_that_the_provider_would_refuse_is_refused(
    provider: str, own: dict[str, Any], attribute: str
) -> None:
    with pytest.raises(AiConfigBroken) as broken:
        read(provider, **own)

    assert broken.value.attribute == f"ai_config.{attribute}"


def test_a_model_that_does_not_reason_keeps_its_temperature() -> None:
    assert read(reasoning={"effort": "none"}, temperature=0.5).temperature == 0.5


def test_no_copy_is_kept_at_openai_unless_the_project_asks_for_it() -> None:
    assert read().keep_thread is False
