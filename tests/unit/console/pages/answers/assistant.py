"""Answers of a company with a conversation of SMS that a model leads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.network import Call, Network

QUESTION, ANSWER = (f"00000000-0000-4000-8000-00000000000{n}" for n in range(2))
REF = "acme#hiring#r1"
ABSENT = (
    "status_reason resumes_at owner turn hand_off_to_human_reason function_call_type "
    "waits_for_approval unreachable language template company_name project_name thread_id email_id "
    "ai_dollars satisfaction initial_request_timestamp last_message_at last_inbound_at last_outbound_at "
    "window_until snoozed_until"
)
OF_MESSAGE = (
    "principal resolved_by resolved_principal whole_text subject template variables button location "
    "media_state delivery_status delivery_status_at error_code provider provider_message_id encoding "
    "segments price currency model ai_version ai_prompt_tokens ai_completion_tokens ai_total_tokens "
    "ai_cached_tokens ai_dollars processing_time_ms calls function hand_off_reason hand_off_cause"
)


@dataclass
class Assisted:
    """A conversation with a question and an answer of the model, which Kim has rated."""

    ratings: dict[str, str] = field(default_factory=lambda: {"user:kim": "rated_down:tone"})

    def opened(self, _: Call) -> Answer:
        names = dict.fromkeys(("first_name", "last_name", "email"))
        recipient = names | {"tel": "+447700900123", "tel_text": "+44 7700 900123"}
        messages = [
            self._message(ANSWER, "assistant", "ai", self.ratings),
            self._message(QUESTION, "user", "customer", {}),
        ]
        return Answer(
            dict.fromkeys(ABSENT.split())
            | {
                "ref": REF, "company_id": "acme", "project_id": "hiring", "request_id": "r1",
                "channel_method": "sms", "conversation_status": "reply_sent", "mode": "ai",
                "hand_off_to_human": False, "function_call": False, "task_complete": False,
                "comms_consent": True, "recipient": recipient, "business_address": "+441",
                "project_data": {}, "recorded_answers": {}, "replaced_answers": [],
                "unreadable": [], "created_at": at(0), "updated_at": at(1), "labels": [],
                "revision": 1, "changes": [],
                "messages": {"messages": messages, "before": None},
                "notes": {"notes": [], "before": None},
            }
        )  # fmt: skip

    def rate(self, call: Call) -> Answer:
        rating, reason = call.input.get("rating"), call.input.get("reason")
        self.ratings.pop("user:ada", None)
        if rating is not None:
            self.ratings["user:ada"] = "rated_up" if rating == "up" else f"rated_down:{reason}"
        return Answer({"ref": REF, "entry_id": call.input["entry_id"], "rating": rating})

    def network(self, pages: Path, *groups: str) -> Network:
        return Company().network(
            pages,
            *groups,
            **{
                "GET /conversations/{ref}": self.opened,
                "POST /conversations/{ref}/ratings": self.rate,
                "POST /opt-outs/search": lambda _: Answer({"channels": []}),
            },
        )

    @staticmethod
    def _message(key: str, role: str, author: str, ratings: dict[str, str]) -> dict[str, Any]:
        return dict.fromkeys(OF_MESSAGE.split()) | {
            "entry_id": key, "message_timestamp": at(int(key == ANSWER)), "role": role,
            "author": author, "kind": "text", "content": "text", "media": [],
            "functions": [], "sources": [], "answers": {}, "ratings": ratings,
        }  # fmt: skip
