"""Files, locations and contacts that customers send; some files are invalid."""

from events.whatsapp.payloads import content, media
from events.whatsapp.sample_builder import CHANGED, MEDIA_STORED, Expects, Sample, SampleBuilder
from events.whatsapp.sample_data import ADA, JUERGEN, PRIYA, TOMAS
from local.sandbox.accounts.media import (
    EXECUTABLE_AS_JPEG,
    GONE,
    JPEG_IMAGE,
    MP4_VIDEO,
    OGG_VOICE,
    PDF_DOCUMENT,
    WEBP_STICKER,
    WRONG_HASH,
)

WORKPLACE = {
    "latitude": 40.7127753,
    "longitude": -74.0059728,
    "name": "Mill Lane car park",
    "address": "1 Mill Lane",
    "url": "https://maps.example/mill-lane",
}
COLLECTOR = {
    "name": {"formatted_name": "Grace Byrne", "first_name": "Grace", "last_name": "Byrne"},
    "org": {"company": "Byrne & Daughters"},
    "phones": [{"phone": "+44 7700 900107", "wa_id": "447700900107", "type": "CELL"}],
    "emails": [{"email": "grace@example.com", "type": "WORK"}],
}


def attachments(builder: SampleBuilder) -> list[Sample]:
    """Every kind of file that a customer can send, then location and contacts."""
    caption = "The tyre, see the glass on the left"
    return [
        builder.customer_message(
            "image",
            "A photo with a caption; the file is fetched and stored.",
            ADA,
            500,
            media("image", JPEG_IMAGE, caption=caption),
            expects=MEDIA_STORED,
        ),
        builder.customer_message(
            "image_again",
            "The same photo delivered again: only its download address is new.",
            ADA,
            500,
            media("image", JPEG_IMAGE, delivery=2, caption=caption),
            message_id=builder.inbound_id(ADA, "image"),
            arrives=501,
            expects=Expects(accepted=1, duplicate=1),
        ),
        builder.customer_message(
            "edit_caption",
            "The customer corrects the caption of the photo (`edit`).",
            ADA,
            504,
            content(
                "edit",
                {
                    "original_message_id": builder.inbound_id(ADA, "image"),
                    "message": media(
                        "image",
                        JPEG_IMAGE,
                        delivery=3,
                        caption="The tyre, see the glass on the right",
                    ),
                },
            ),
            expects=CHANGED,
        ),
        builder.customer_message(
            "video",
            "A video with a caption.",
            JUERGEN,
            510,
            media("video", MP4_VIDEO, caption="Hören Sie das Knacken?"),
            expects=MEDIA_STORED,
        ),
        builder.customer_message(
            "voice",
            "A voice message (`audio` with `voice` true).",
            JUERGEN,
            511,
            media("audio", OGG_VOICE, voice=True),
            expects=MEDIA_STORED,
        ),
        builder.customer_message(
            "document",
            "A document with the file name that the customer gave it; sent with phone and user id.",
            PRIYA,
            515,
            media(
                "document", PDF_DOCUMENT, filename="guarantee 2025/26.pdf", caption="My guarantee"
            ),
            expects=MEDIA_STORED,
        ),
        builder.customer_message(
            "sticker",
            "A sticker.",
            JUERGEN,
            518,
            media("sticker", WEBP_STICKER, animated=False),
            expects=MEDIA_STORED,
        ),
        builder.customer_message(
            "location",
            "A location.",
            TOMAS,
            520,
            content("location", WORKPLACE),
        ),
        builder.customer_message(
            "contacts",
            "A contact card.",
            ADA,
            525,
            content("contacts", [COLLECTOR]),
        ),
    ]


def bad_files(builder: SampleBuilder) -> list[Sample]:
    """Files that must not be stored; their messages are."""
    failed = Expects(accepted=1, stored=1, media="FAILED")
    return [
        builder.customer_message(
            "image_executable",
            "An executable sent as image/jpeg: it begins with the bytes of a program.",
            TOMAS,
            700,
            media("image", EXECUTABLE_AS_JPEG, caption="free_wheels.jpg"),
            expects=failed,
        ),
        builder.customer_message(
            "image_wrong_hash",
            "A photo whose bytes do not have the hash of the webhook.",
            TOMAS,
            701,
            media("image", WRONG_HASH),
            expects=failed,
        ),
        builder.customer_message(
            "image_gone",
            "A photo that the provider no longer has.",
            TOMAS,
            702,
            media("image", GONE),
            expects=Expects(accepted=1, stored=1, media="EXPIRED"),
        ),
    ]
