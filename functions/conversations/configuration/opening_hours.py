"""Hours in which people of a project answer, and the rule outside them."""

from typing import Literal

from pydantic import ConfigDict, field_validator

from conversations.configuration.texts import Text
from shared.policy.business_hours import BusinessHours

OPENS_AT = "{opens_at}"


class OpeningHours(BusinessHours):
    """
    Opening hours with holidays. Outside them the model answers, or people do once they are back (*outside*).

    *notice* is what a customer whose conversation is handed off outside the hours reads: it has the placeholder
    `{opens_at}`. Without it, a sentence that names the time follows the project's hand-off notice.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, defer_build=True)

    outside: Literal["answer", "hand_off"] = "answer"
    notice: Text | None = None

    @field_validator("notice")
    @classmethod
    def _names_the_time(cls, notice: Text | None) -> Text | None:
        texts = [notice] if isinstance(notice, str) else list((notice or {}).values())
        if not all(OPENS_AT in text for text in texts):
            raise ValueError(f"needs the placeholder {OPENS_AT}")
        return notice
