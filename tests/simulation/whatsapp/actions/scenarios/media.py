"""Files: uploads, downloads and deletions at both providers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.whatsapp.sample_data import COMPANY, COUNTER, WORKSHOP
from local.sandbox.accounts.media import BUILT_IN, JPEG_IMAGE
from tests.simulation.whatsapp.actions.scenario import Scenario
from whatsapp.store.items import Media

if TYPE_CHECKING:
    from collections.abc import Callable

    from events.whatsapp.sample_data import BusinessNumber
    from tests.simulation.whatsapp.system import System

type Json = dict[str, Any]
KEY = "uploads/acme/bike.jpg"
FETCHED = ("get_media", "download_media")


def a_file(system: System) -> None:
    content = BUILT_IN[JPEG_IMAGE].content
    system.s3.put_object(Bucket=system.bucket, Key=KEY, Body=content, ContentType="image/jpeg")


def a_record_of(number: BusinessNumber) -> Callable[[System], None]:
    """The record of a customer's file that was not downloaded."""

    def prepare(system: System) -> None:
        media = Media(
            pk=Media.key(JPEG_IMAGE),
            company=COMPANY,
            media_id=JPEG_IMAGE,
            phone=number.phone,
            waba_meta_id=number.waba,
            content_type="image/jpeg",
        )
        system.table.put(media.attributes())

    return prepare


def _of(number: BusinessNumber, **more: Any) -> Json:
    return {"phoneNumberId": number.phone, **more}


def _file(action: str, number: BusinessNumber, *effect: str, **more: Any) -> Scenario:
    return Scenario(
        action=action,
        body=_of(number, mediaId=JPEG_IMAGE, **more),
        prepare=a_record_of(number),
        effect=effect,
        name=f"{action} of {number.phone} {'and ours' if more else ''}".strip(),
    )


def _upload(action: str, number: BusinessNumber, effect: str) -> Scenario:
    return Scenario(
        action=action,
        body=_of(number, s3Key=KEY),
        prepare=a_file,
        effect=(effect,),
        repeatable=True,  # an unused copy may remain at the provider for 30 days
        name=f"{action} of {number.phone}",
    )


SCENARIOS = (
    _upload("eum_upload_media", COUNTER, "upload_media"),
    _upload("eum_upload_media", WORKSHOP, "PostWhatsAppMessageMedia"),
    _upload("upload_media", COUNTER, "upload_media"),
    _file("eum_download_media", COUNTER, *FETCHED),
    _file("eum_download_media", WORKSHOP, "GetWhatsAppMessageMedia"),
    _file("download_media", COUNTER, *FETCHED),
    _file("delete_media", COUNTER, "delete_media"),
    _file("delete_media", WORKSHOP, "DeleteWhatsAppMessageMedia"),
    Scenario(
        action="delete_media",
        body=_of(COUNTER, mediaId=JPEG_IMAGE, deleteStored=True),
        prepare=a_record_of(COUNTER),
        before=(("download_media", _of(COUNTER, mediaId=JPEG_IMAGE)),),
        effect=("delete_media",),
        name="delete_media with our copy",
    ),
)
