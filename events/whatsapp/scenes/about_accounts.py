"""What Meta tells about the account itself: its templates, its numbers, what it may do, its flows and payments."""

from events.whatsapp.cast import COUNTER
from events.whatsapp.payloads import Json
from events.whatsapp.story import RECORDED, Expects, Sample, Story

SOMEBODY_ELSES = "902290129340390"
"""An account that nobody here has a number of."""

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


def about_templates(story: Story) -> list[Sample]:
    """A reminder that is approved, rated, rewritten and paused; an offer that is refused; words nobody knows."""
    french = {"message_template_id": 1689556908129803, "message_template_language": "fr"}
    return [
        story.reports("template_status", "A template was approved.", 660, STATUS, APPROVED),
        story.reports(
            "template_translation",
            "Its French translation is in review: an item of its own, and a language of the first.",
            660,
            STATUS,
            APPROVED | french | {"event": "PENDING"},
        ),
        story.reports(
            "template_rejected",
            "Another template was refused, with the reason.",
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
        story.reports(
            "template_quality",
            "Customers rate the template lower than before.",
            660,
            "message_template_quality_update",
            REMINDER | {"previous_quality_score": "GREEN", "new_quality_score": "YELLOW"},
        ),
        story.reports(
            "template_quality_unknown",
            "A rating of the template in a word that nobody here has heard of yet.",
            661,
            "message_template_quality_update",
            REMINDER | {"previous_quality_score": "YELLOW", "new_quality_score": "ULTRAVIOLET"},
        ),
        story.reports(
            "template_components",
            "The template has new words and a button.",
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
        story.reports(
            "template_category",
            "The template counts as marketing from now on.",
            661,
            "template_category_update",
            REMINDER | {"previous_category": "UTILITY", "new_category": "MARKETING"},
        ),
        story.reports(
            "template_paused",
            "The template is paused, since customers complained.",
            661,
            STATUS,
            APPROVED
            | {
                "event": "PAUSED",
                "message_template_category": "MARKETING",
                "other_info": {"title": "FIRST_PAUSE", "description": "Paused for 3 hours."},
            },
        ),
        story.reports(
            "template_status_unknown",
            "A state of the template that nobody here has heard of yet: the word is kept, the state stays.",
            661,
            STATUS,
            UNKNOWN_STATUS,
        ),
        story.reports(
            "template_unknown_account",
            "A template of an account that has no number here: parked, to be replayed later.",
            661,
            STATUS,
            APPROVED,
            waba=SOMEBODY_ELSES,
            expects=Expects(accepted=1, parked=("unknown_account",)),
        ),
    ]


def about_numbers(story: Story) -> list[Sample]:
    """A new name, a higher limit, and what customers think."""
    field = "phone_number_quality_update"

    def rated(word: str) -> Json:
        limit = {"max_daily_conversations_per_business": "TIER_2K"}
        return {"display_phone_number": COUNTER.display, "event": word} | limit

    return [
        story.reports(
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
        story.reports(
            "capability",
            "The account may write to more customers a day.",
            665,
            "business_capability_update",
            {"max_daily_conversations_per_business": 10_000, "max_phone_numbers_per_waba": 25},
        ),
        story.reports(
            "quality_flagged", "The number is flagged: low quality.", 666, field, rated("FLAGGED")
        ),
        story.reports(
            "quality_unflagged", "The number is well again.", 667, field, rated("UNFLAGGED")
        ),
        story.reports(
            "quality_unknown",
            "Something about the number in a word that nobody here has heard of yet.",
            667,
            field,
            rated("APPLAUDED"),
        ),
    ]


def about_the_account(story: Story) -> list[Sample]:
    """A restriction, a ban and its end; warnings; a flow that is held back; a way to be paid."""
    field = "account_update"

    def banned(state: str) -> Json:
        day = {"waba_ban_state": state, "waba_ban_date": "January 1, 2026"}
        return {"event": "DISABLED_UPDATE", "ban_info": day}

    restriction = {
        "restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING",
        "expiration": story.at(2_880),
    }
    return [
        story.reports(
            "account_restricted",
            "The account may not begin conversations for some days.",
            668,
            field,
            {"event": "ACCOUNT_RESTRICTION", "restriction_info": [restriction]},
        ),
        story.reports(
            "account_banned",
            "The account is banned: nothing is sent.",
            669,
            field,
            banned("DISABLE"),
        ),
        story.reports(
            "account_reinstated",
            "The ban is lifted; the restriction goes on.",
            670,
            field,
            banned("REINSTATE"),
        ),
        story.reports(
            "account_violation",
            "A warning: the account broke a rule.",
            671,
            field,
            {"event": "ACCOUNT_VIOLATION", "violation_info": {"violation_type": "SPAM"}},
            expects=RECORDED,
        ),
        story.reports(
            "flow_throttled",
            "A flow answers badly, so fewer customers may open it.",
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
        story.reports(
            "payment_config",
            "A payment gateway is connected and tested.",
            673,
            "payment_configuration_update",
            {
                "configuration_name": "counter-gateway",
                "provider_name": "razorpay",
                "provider_mid": "acc_GP4lfNA0iIMn5B",
                "status": "Active",
                "created_timestamp": story.at(600),
                "updated_timestamp": story.at(673),
            },
        ),
    ]
