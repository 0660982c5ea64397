"""The model and the account that settings name."""

import pytest

from shared.ai.providers.model_creation import ModelDependencies, account_for
from shared.ai.settings import ModelSettings
from shared.providers.company_secrets import CompanySecrets
from shared.providers.outcomes import Misconfigured


def test_settings_without_a_key_have_no_account() -> None:
    deps = ModelDependencies(
        openai_url="http://127.0.0.1/v1",
        credentials=CompanySecrets(lambda: pytest.fail("no secret may be read")),
        make_bedrock=lambda _: pytest.fail("no client may be created"),
    )

    with pytest.raises(Misconfigured) as refusal:
        account_for(ModelSettings(provider="bedrock", model="m"), deps, "acme")

    assert refusal.value.code == "api_key_reference"
