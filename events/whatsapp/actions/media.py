"""Files of the company, and of the day."""

from events.whatsapp.payloads import Json

BODIES: dict[str, Json] = {
    "delete_media": {
        "deleteStored": True,
        "mediaId": "1003383421387256",
        "phone": "106540352242922",
    },
    "download_media": {"mediaId": "1003383421387256", "phone": "106540352242922"},
    "eum_download_media": {"mediaId": "1003383421387256", "phone": "106540352242922"},
    "eum_get_media_stats": {"metaWabaId": "102290129340398"},
    "eum_get_supported_formats": {},
    "eum_setup_s3_lifecycle": {"expirationDays": 90},
    "eum_upload_media": {
        "phone": "106540352242922",
        "s3Key": "uploads/acme/shop-front.png",
    },
    "eum_validate_media": {"s3Key": "uploads/acme/shop-front.png"},
    "get_media_types": {},
    "get_media_url": {"s3Key": "uploads/acme/shop-front.png"},
    "get_supported_formats": {},
    "refresh_media_types": {},
    "upload_media": {"phone": "106540352242922", "s3Key": "uploads/acme/shop-front.png"},
    "validate_media": {"s3Key": "uploads/acme/shop-front.png"},
}
