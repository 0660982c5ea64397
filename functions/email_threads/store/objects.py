"""
The bucket of mails.

    raw/{address}/{id}                              the mail as SES stored it, for 30 days
    bodies/{conversation_id}/{email_id}/            body.txt if it is long, clean.html
    attachments/{conversation_id}/{email_id}/       files by their names (contract, `s3_key`)
    exports/{company}/{job}/{run}/                  the stored data about a person, for 7 days
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from email_threads.parsing.body.attachments import Attachment
    from email_threads.store.items import Mail
    from shared.aws.s3 import Bucket

RAW: Final = "raw/"
ANY_MAILBOX: Final = "_"  # in place of the address, if a receipt rule serves a whole domain
_BODIES: Final = "bodies/"
_ATTACHMENTS: Final = "attachments/"
_EXPORTS: Final = "exports/"
_PARTS: Final = 3  # thread, mail and name
_TEXT, _HTML = "text/plain; charset=utf-8", "text/html; charset=utf-8"


def attachment_key(conversation_id: str, email_id: str, filename: str) -> str:
    """Return the key of a file of a mail."""
    return f"{_ATTACHMENTS}{conversation_id}/{email_id}/{filename}"


def is_attachment(key: str) -> bool:
    """Whether a stored key is one of a file of a mail."""
    parts = key.removeprefix(_ATTACHMENTS).split("/")
    return key.startswith(_ATTACHMENTS) and len(parts) == _PARTS and "" not in parts


def is_of_mail(key: str) -> bool:
    """Whether a stored key is one of an object of a mail."""
    parts = key.split("/")
    return f"{parts[0]}/" in {_BODIES, _ATTACHMENTS} and len(parts) > _PARTS and "" not in parts


def body_key(conversation_id: str, email_id: str) -> str:
    """Return the key of a long body."""
    return f"{_BODIES}{conversation_id}/{email_id}/body.txt"


def html_key(conversation_id: str, email_id: str) -> str:
    """Return the key of the sanitised HTML of a mail."""
    return f"{_BODIES}{conversation_id}/{email_id}/clean.html"


def put_body(bucket: Bucket, key: str, text: str) -> None:
    """Store a long body. Idempotent."""
    bucket.put(key, text.encode("utf-8", "replace"), _TEXT)


def put_html(bucket: Bucket, key: str, document: str) -> None:
    """Store sanitised HTML. Idempotent."""
    bucket.put(key, document.encode("utf-8", "replace"), _HTML)


def put_attachments(bucket: Bucket, files: Iterable[tuple[str, Attachment]]) -> None:
    """Store files under these keys, as octet streams: nothing that a sender wrote is shown by a browser. Idempotent."""
    for key, file in files:
        bucket.put(key, file.content, "application/octet-stream")


def prefixes_of(conversation_id: str) -> list[str]:
    """Return the prefixes of the bodies and attachments of a thread."""
    return [f"{prefix}{conversation_id}/" for prefix in (_BODIES, _ATTACHMENTS)]


def exports_of(company_id: str, job_id: str) -> str:
    """Return the prefix of the exports of a job."""
    return f"{_EXPORTS}{company_id}/{job_id}/"


def keys_of(mail: Mail) -> list[str]:
    """Return the keys of the bodies and files of a mail."""
    files = [one.s3_key for one in mail.attachments]
    return [key for key in (mail.body_key, mail.html_key, *files) if key is not None]


def key_in(key: str, conversation_id: str) -> str:
    """Return the key of the same object of a mail in another thread."""
    kind, _, rest = key.split("/", 2)
    return f"{kind}/{conversation_id}/{rest}"


def with_keys_in(mail: Mail, conversation_id: str) -> Mail:
    """Return a mail whose objects have keys of a thread."""

    def moved(key: str | None) -> str | None:
        return key_in(key, conversation_id) if key is not None else None

    files = [one.model_copy(update={"s3_key": moved(one.s3_key)}) for one in mail.attachments]
    keys = {"body_key": moved(mail.body_key), "html_key": moved(mail.html_key)}
    return mail.model_copy(update={**keys, "attachments": files})


def remove_of_thread(bucket: Bucket, conversation_id: str) -> int:
    """Delete all bodies and attachments of a thread, and return their number. Idempotent."""
    count = 0
    for prefix in prefixes_of(conversation_id):
        for key in bucket.all_keys_under(prefix):
            bucket.delete(key)
            count += 1
    return count


def remove_of_mail(
    bucket: Bucket, conversation_id: str, email_id: str, *, except_for: Collection[str]
) -> None:
    """Delete the bodies and attachments of a mail under the id of a thread. Idempotent."""
    for prefix in prefixes_of(conversation_id):
        for key in bucket.all_keys_under(f"{prefix}{email_id}/"):
            if key not in except_for:
                bucket.delete(key)
