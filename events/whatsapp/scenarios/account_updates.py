"""Webhooks about the account: templates, numbers, restrictions, flows and payments."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_builder import RECORDED, Expects, Sample, SampleBuilder
from events.whatsapp.sample_data import COUNTER

FOREIGN_ACCOUNT = "902290129340390"
"""An account without a registered number."""

STATUS = "message_template_status_update"
REMINDER = {
    "message_template_id": 1689556908129801,
    "message_template_name": "service_reminder",
    "message_template_language": "en_GB",
}
SALE = {
    "message_template_id": 1689556908129802,
    "message_template_name": "spring_sale",
    "message_template_language": "en_GB",
}
APPROVED = REMINDER | {
    "event": "APPROVED",
    "message_template_category": "UTILITY",
    "reason": "NONE",
}
UNKNOWN_STATUS = REMINDER | {"event": "HIBERNATING", "reason": "NONE"}


def template_updates(builder: SampleBuilder) -> list[Sample]:
    """A template that is approved, rated, changed and paused; a rejected one; unknown values."""
    french = {"message_template_id": 1689556908129803, "message_template_language": "fr"}
    return [
        builder.account_notice(
            "template_status", "A template was approved.", 660, STATUS, APPROVED
        ),
        builder.account_notice(
            "template_translation",
            "Its French translation is in review: a separate item, and a language of the first.",
            660,
            STATUS,
            APPROVED | french | {"event": "PENDING"},
        ),
        builder.account_notice(
            "template_rejected",
            "Another template was rejected, with the reason.",
            660,
            STATUS,
            SALE
            | {
                "event": "REJECTED",
                "message_template_category": "MARKETING",
                "reason": "INVALID_FORMAT",
                "rejection_info": {
                    "reason": "A variable stands at the end.",
                    "recommendation": "Let text follow it.",
                },
            },
        ),
        builder.account_notice(
            "template_quality",
            "Customers rate the template lower than before.",
            660,
            "message_template_quality_update",
            REMINDER | {"previous_quality_score": "GREEN", "new_quality_score": "YELLOW"},
        ),
        builder.account_notice(
            "template_quality_unknown",
            "An unknown quality rating of the template.",
            661,
            "message_template_quality_update",
            REMINDER | {"previous_quality_score": "YELLOW", "new_quality_score": "ULTRAVIOLET"},
        ),
        builder.account_notice(
            "template_components",
            "The template has a new text and a button.",
            661,
            "message_template_components_update",
            REMINDER
            | {
                "message_template_title": "Your bike",
                "message_template_element": "Hello {{1}}, your bike is due for a service.",
                "message_template_footer": "Acme Bicycles",
                "message_template_buttons": [
                    {
                        "message_template_button_type": "URL",
                        "message_template_button_text": "Book",
                        "message_template_button_url": "https://acme.example/book",
                    }
                ],
            },
        ),
        builder.account_notice(
            "template_category",
            "The template counts as marketing from now on.",
            661,
            "template_category_update",
            REMINDER | {"previous_category": "UTILITY", "new_category": "MARKETING"},
        ),
        builder.account_notice(
            "template_paused",
            "The template is paused, because customers complained.",
            661,
            STATUS,
            APPROVED
            | {
                "event": "PAUSED",
                "message_template_category": "MARKETING",
                "other_info": {"title": "FIRST_PAUSE", "description": "Paused for 3 hours."},
            },
        ),
        builder.account_notice(
            "template_status_unknown",
            "An unknown status of the template: the value is stored, the status does not change.",
            661,
            STATUS,
            UNKNOWN_STATUS,
        ),
        builder.account_notice(
            "template_unknown_account",
            "A template of an account without a registered number: parked, can be replayed.",
            661,
            STATUS,
            APPROVED,
            waba=FOREIGN_ACCOUNT,
            expects=Expects(accepted=1, parked=("unknown_account",)),
        ),
    ]


def number_updates(builder: SampleBuilder) -> list[Sample]:
    """A new name, a higher limit, and quality events."""
    field = "phone_number_quality_update"

    def quality_event(event: str) -> Json:
        limit = {"max_daily_conversations_per_business": "TIER_2K"}
        return {"display_phone_number": COUNTER.display, "event": event} | limit

    return [
        builder.account_notice(
            "number_name",
            "The name that customers see was approved.",
            665,
            "phone_number_name_update",
            {
                "display_phone_number": COUNTER.display,
                "decision": "APPROVED",
                "requested_verified_name": "Acme Bicycles",
                "rejection_reason": None,
            },
        ),
        builder.account_notice(
            "capability",
            "The account may message more customers a day.",
            665,
            "business_capability_update",
            {"max_daily_conversations_per_business": 10_000, "max_phone_numbers_per_waba": 25},
        ),
        builder.account_notice(
            "quality_flagged",
            "The number is flagged: low quality.",
            666,
            field,
            quality_event("FLAGGED"),
        ),
        builder.account_notice(
            "quality_unflagged",
            "The number is no longer flagged.",
            667,
            field,
            quality_event("UNFLAGGED"),
        ),
        builder.account_notice(
            "quality_unknown",
            "An unknown quality event of the number.",
            667,
            field,
            quality_event("APPLAUDED"),
        ),
    ]


def account_updates(builder: SampleBuilder) -> list[Sample]:
    """A restriction, a ban and its end; a warning; a throttled flow; a payment configuration."""
    field = "account_update"

    def banned(state: str) -> Json:
        day = {"waba_ban_state": state, "waba_ban_date": "January 1, 2026"}
        return {"event": "DISABLED_UPDATE", "ban_info": day}

    restriction = {
        "restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING",
        "expiration": builder.at(2_880),
    }
    return [
        builder.account_notice(
            "account_restricted",
            "The account may not start conversations for some days.",
            668,
            field,
            {"event": "ACCOUNT_RESTRICTION", "restriction_info": [restriction]},
        ),
        builder.account_notice(
            "account_banned",
            "The account is banned: nothing is sent.",
            669,
            field,
            banned("DISABLE"),
        ),
        builder.account_notice(
            "account_reinstated",
            "The ban is lifted; the restriction remains.",
            670,
            field,
            banned("REINSTATE"),
        ),
        builder.account_notice(
            "account_violation",
            "A warning: the account broke a rule.",
            671,
            field,
            {"event": "ACCOUNT_VIOLATION", "violation_info": {"violation_type": "SPAM"}},
            expects=RECORDED,
        ),
        builder.account_notice(
            "flow_throttled",
            "A flow has errors, so Meta throttles it.",
            672,
            "flows",
            {
                "event": "FLOW_STATUS_CHANGE",
                "message": "The flow changed status from PUBLISHED to THROTTLED",
                "flow_id": "6627390910605886",
                "old_status": "PUBLISHED",
                "new_status": "THROTTLED",
            },
            expects=RECORDED,
        ),
        builder.account_notice(
            "payment_config",
            "A payment gateway is connected and tested.",
            673,
            "payment_configuration_update",
            {
                "configuration_name": "counter-gateway",
                "provider_name": "razorpay",
                "provider_mid": "acc_GP4lfNA0iIMn5B",
                "status": "Active",
                "created_timestamp": builder.at(600),
                "updated_timestamp": builder.at(673),
            },
        ),
    ]
