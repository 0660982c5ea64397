"""The setting CLASSIFIER of the functions that decide: `rules`, or `model` with a model id."""

import boto3
import pytest

from richpanel.configuration import bootstrap
from richpanel.configuration.bootstrap import SourcesSettings
from shared.aws.secrets import JsonSecret
from shared.runtime.settings import SettingInvalid

OTHERS = {
    "CONVERSATION_STATE_TABLE_NAME": "state",
    "CONVERSATION_LOG_TABLE_NAME": "log",
    "RICHPANEL_KEYS_ID": "keys",
    "IDENTIFIER_KEYS_SECRET_ID": "hashes",
    "CHANNEL_NAMES": "",
    "ACCOUNT_PARAMETER": "/account",
    "HELP_DESK_URL": "https://api.richpanel.com/v1",
    "SHOPIFY_URL": "",
    "SHOPIFY_VERSION": "2026-10",
    "SHIPSTATION_URL": "",
    "MODEL_ID": "",
    "MODEL_PROVIDER": "bedrock",
    "OPENAI_BASE_URL": "https://api.openai.com",
}
KEYS = JsonSecret(lambda: boto3.client("secretsmanager"), "keys")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLASSIFIER", raising=False)
    for name, value in OTHERS.items():
        monkeypatch.setenv(name, value)


def test_a_missing_classifier_stops_the_function_at_import() -> None:
    with pytest.raises(SettingInvalid, match=r"^CLASSIFIER is not set$"):
        SourcesSettings.load()


@pytest.mark.parametrize("value", ["", "both", "Model"])
def test_an_unknown_classifier_is_refused_with_the_values_that_exist(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLASSIFIER", value)

    with pytest.raises(SettingInvalid, match=r"^CLASSIFIER is not any of rules, model$"):
        SourcesSettings.load()


def test_rules_classify_without_a_model_even_if_one_is_configured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLASSIFIER", "rules")
    monkeypatch.setenv("MODEL_ID", "a.model-v1")

    assert bootstrap._judge(SourcesSettings.load(), KEYS) is None


def test_a_model_classifies_where_its_id_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSIFIER", "model")
    monkeypatch.setenv("MODEL_ID", "a.model-v1")

    assert bootstrap._judge(SourcesSettings.load(), KEYS) is not None


def test_the_provider_of_the_model_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSIFIER", "model")
    monkeypatch.setenv("MODEL_ID", "gpt-5-mini")
    monkeypatch.setenv("MODEL_PROVIDER", "openai")

    judge = bootstrap._judge(SourcesSettings.load(), KEYS)

    assert judge is not None
    assert judge.model.name == "openai:gpt-5-mini"
    # Models that reason refuse a temperature.
    assert judge.limits.temperature is None


def test_a_model_without_its_id_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSIFIER", "model")

    with pytest.raises(SettingInvalid, match=r"^MODEL_ID is not set, but CLASSIFIER is"):
        bootstrap._judge(SourcesSettings.load(), KEYS)
