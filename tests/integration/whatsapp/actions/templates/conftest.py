"""The customer of the tests has agreed to marketing."""

from __future__ import annotations

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, Actions
from tests.integration.whatsapp.conftest import NOW


@pytest.fixture(autouse=True)
def _consents(actions: Actions) -> None:
    """ADA has agreed to marketing."""
    key = actions.harness.take(
        {
            "field": "user_preferences",
            "contacts": [{"wa_id": ADA}],
            "user_preferences": [
                {
                    "wa_id": ADA,
                    "category": "marketing_messages",
                    "detail": "opted in",
                    "value": "resume",
                    "timestamp": NOW // 1000 - 60,
                }
            ],
        }
    )
    assert key
