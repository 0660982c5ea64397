"""A recruiting company and one of its candidates. All data is fictitious."""

from __future__ import annotations

from typing import Any

from events.conversations.twilio import ACCOUNT, AUTH_TOKEN, CUSTOMER, SMS_NUMBER

COMPANY = "ci-aaa-001"
PROJECT = "pi-aaa-001"
WHATSAPP_SENDER = "+12025550143"
EMAIL_SENDER = "jobs@cucumber.example"
CANDIDATE = CUSTOMER
CANDIDATE_EMAIL = "ann.doe@example.com"
# The name of a company's secret contains the company's id, see `shared.identity.secret_owners`.
TWILIO_SECRET_ID = f"parley/local/companies/{COMPANY}/twilio"
# The refs in the queue samples are made with this key from the request of `initiate_sms`.
IDENTIFIER_KEYS = {"identifier_key": "the identifier key of the samples"}
TWILIO_SECRET = {"twilio_account_sid": ACCOUNT, "twilio_auth_token": AUTH_TOKEN}

INVITATION = {
    "content_sid": "HX" + "b5d1" * 8,
    "language": "en",
    "category": "UTILITY",
    "body": "Hello {{name}}, this is {{rep}} of Cucumber Recruitment about the job as {{job}}. {{question}}",
    "variables": [
        {"name": "name", "source": "recipient_first_name", "max": 40},
        {"name": "rep", "source": "company_rep_1", "max": 40},
        {"name": "job", "source": "project_data.jobRole", "max": 80},
        {"name": "question", "describe": "The first open question, in one sentence", "max": 200},
    ],
}
STILL_THERE = {
    "content_sid": "HX" + "c6e2" * 8,
    "language": "en",
    "category": "UTILITY",
    "body": "Hello {{name}}, we would like to go on with our conversation. Just answer to this message.",
    "variables": [{"name": "name", "source": "recipient_first_name", "max": 40}],
}


def project(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any attribute of the item
    """Return the company data item of the project; *changes* replace attributes."""
    return {
        "company_id": COMPANY,
        "project_id": PROJECT,
        "company_name": "Cucumber Recruitment",
        "project_name": "Clarify CV",
        "allowed_channels": ["whatsapp", "sms", "email"],
        "project_status": "active",
        "company_rep": {"company_rep_1": "Carol", "company_rep_2": None},
        "ai_config": {
            "provider": "scripted",
            "prompts": {"initial": "Be brief and kind.", "reply": "Be brief and kind."},
        },
        "channel_config": {
            "whatsapp": {
                "provider": "twilio",
                "account": ACCOUNT,
                "company_whatsapp_number": WHATSAPP_SENDER,
                "whatsapp_credentials_id": TWILIO_SECRET_ID,
                "templates": {"invitation": INVITATION, "still_there": STILL_THERE},
                "default_template": "invitation",
                "reengagement_template": "still_there",
            },
            "sms": {
                "provider": "twilio",
                "account": ACCOUNT,
                "company_sms_number": SMS_NUMBER,
                "sms_credentials_id": TWILIO_SECRET_ID,
                "opt_out_handled_by": "parley",
            },
            "email": {
                "provider": "ses",
                "company_email": EMAIL_SENDER,
                "email_from_name": "Cucumber Recruitment",
                "default_subject_line": "Your application",
            },
        },
        "default_language": "en",
        "default_region": "GB",
        "timezone": "Europe/London",
        "policy": {
            "handoff_notice": "A colleague will answer you soon.",
            "help_text": "we answer questions about your application. Reply STOP to opt out.",
        },
        **changes,
    }


def request(channel: str = "sms", request_id: str = "req-1", **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any section
    """Return the company's request for a conversation; *changes* replace whole sections."""
    return {
        "company_data": {"company_id": COMPANY, "project_id": PROJECT},
        "recipient_data": {
            "recipient_first_name": "Ann",
            "recipient_last_name": "Doe",
            "recipient_tel": CANDIDATE,
            "recipient_email": CANDIDATE_EMAIL,
            "comms_consent": True,
        },
        "project_data": {
            "jobRole": "Healthcare Assistant",
            "shift": "nights",
            "clarificationPoints": [
                {"point": "Do you have a driving licence?", "pointConfirmed": "false"},
                {"point": "Can you start in May?", "pointConfirmed": "false"},
            ],
        },
        "request_data": {
            "request_id": request_id,
            "channel_method": channel,
            "initial_request_timestamp": "2026-01-01T09:30:00.000Z",
        },
        **changes,
    }
