"""The versions of edited messages, as the API returns them."""

from collections.abc import Iterable, Mapping

from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from whatsapp import store
from whatsapp.api.message_views import VersionView, link_to_content, media_view
from whatsapp.configuration.folders import older_versions_of
from whatsapp.store import ordering
from whatsapp.store.items import Edit, Media, Message


def edits_of(table: Table, company: str, messages: Iterable[Message]) -> dict[str, Edit]:
    """Return the recorded edits of the edited ones of up to 100 messages, by message key."""
    keys = {Edit.key(m.phone, m.message_id): m.pk for m in messages if m.edited_at and not m.erased}
    records = store.message_reports.get_edits(table, keys)
    return {keys[record.pk]: record for record in records if record.company == company}


def media_ids_of(record: Edit) -> list[str]:
    """Return the ids of the files of all versions."""
    versions = [record.original or {}, *record.versions]
    return [str(version["mediaId"]) for version in versions if "mediaId" in version]


def version_views(
    bucket: Bucket, message: Message, record: Edit, files: Mapping[str, Media]
) -> list[VersionView]:
    """Return the original of a message and all its edits, oldest first; those that left the item as links."""
    views = [_view(bucket, message, version, files) for version in record.versions]
    if len(views) >= Edit.most_versions:
        views = [*_older(bucket, message), *views]
    return ([_view(bucket, message, record.original, files)] if record.original else []) + views


def _view(
    bucket: Bucket, message: Message, version: Mapping[str, str], files: Mapping[str, Media]
) -> VersionView:
    # A version has the attributes of a message under their stored names.
    shown = Message.read({**message.attributes(), **_NOTHING, **version})
    file = files.get(shown.media_id or "")
    return VersionView(
        at=ordering.moment_of(version["at"]),
        text=shown.text_body,
        caption=shown.caption,
        whole_content=link_to_content(bucket, shown),
        media=media_view(bucket, shown, file),
    )


_NOTHING = dict.fromkeys(
    ("textBody", "caption", "contentS3Key", "mediaId", "mimeType", "filename", "s3Bucket", "s3Key")
)


def _older(bucket: Bucket, message: Message) -> list[VersionView]:
    folder = older_versions_of(bucket, message.company, message.phone, message.message_id)
    keys = folder.bucket.keys_under(folder.prefix)
    return [
        VersionView(
            at=f"{ordering.second_of(key.removeprefix(folder.prefix))}.000Z",
            whole_content=link_to_content(
                bucket, message.model_copy(update={"content_s3_key": key})
            ),
        )
        for key in keys
    ]
