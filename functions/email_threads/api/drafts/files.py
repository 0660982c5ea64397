"""Files of drafts: forms that upload them, and the objects that a draft names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from email_threads.api.drafts.views import UploadView
from email_threads.parsing.body import attachments
from email_threads.store import objects, threads
from email_threads.store.items import DraftFile
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from email_threads.api.drafts.inputs import AmendedFileInput, FileInput, UploadInput
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Thread

LARGEST_BYTES: Final = (
    7 << 20
)  # of all files of a mail; SES takes 40 MB, of which base64 uses a third
FORM_SECONDS: Final = 15 * 60
_UPLOAD_CHARACTERS: Final = 32
INLINE_TYPES: Final = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
_NO_CONTENT: Final = b""


def upload_form(
    deps: ApiDependencies, thread: Thread, upload: UploadInput, cause: str
) -> UploadView:
    """Return the form that uploads a file into the folder of a thread. Raises InvalidInput."""
    name = attachments.safe_name(upload.filename, 1, ())
    kind = attachments.make(
        _NO_CONTENT, name=name, content_type=upload.content_type, content_id=None, is_inline=False
    )
    if kind.is_blocked:
        raise _invalid("filename", "executables and scripts cannot be sent")
    upload_id = cause[:_UPLOAD_CHARACTERS]
    url, fields = deps.bucket.upload_form(
        objects.attachment_key(thread.conversation_id, upload_id, name),
        content_type=upload.content_type,
        largest_bytes=LARGEST_BYTES,
        seconds=FORM_SECONDS,
    )
    return UploadView(
        upload=upload_id,
        filename=name,
        url=url,
        fields=fields,
        largest_bytes=LARGEST_BYTES,
        expires_in_seconds=FORM_SECONDS,
    )


def files_of(
    deps: ApiDependencies,
    thread: Thread,
    given: Sequence[FileInput],
    forwarded: Sequence[DraftFile] = (),
) -> list[DraftFile]:
    """
    Return the files of a forwarded mail, followed by the files that the draft names.

    Raises InvalidInput for a missing or blocked file, and if all are too large together. The files of a forwarded mail
    alone never are.
    """
    files = [
        _uploaded(deps, thread, one) if one.upload is not None else _of_mail(deps, thread, one)
        for one in given
    ]
    size = sum(file.size for file in (*forwarded, *files))
    if files and size > LARGEST_BYTES:
        raise _invalid("attachments", f"have more than {LARGEST_BYTES} bytes")
    read = [
        _placed(_read(deps, file) if one.upload else file, one)
        for one, file in zip(given, files, strict=True)
    ]
    return _with_own_names([*forwarded, *read])


def amended(
    deps: ApiDependencies,
    thread: Thread,
    given: Sequence[AmendedFileInput],
    present: Sequence[DraftFile],
) -> list[DraftFile]:
    """Return the files of a draft: present ones by their names, and new ones. Raises InvalidInput as `files_of`."""
    by_name = {file.filename: file for file in present}
    kept: list[DraftFile] = []
    for one in (one for one in given if one.is_present):
        file = by_name.get(str(one.filename))
        if file is None:
            raise _invalid("attachments", "the draft has no file of this name")
        kept.append(file.model_copy(update={"inline": one.inline}) if one.has("inline") else file)
    return files_of(deps, thread, [one for one in given if not one.is_present], kept)


def _placed(file: DraftFile, given: FileInput) -> DraftFile:
    """Return a file as it is shown in the mail. Raises InvalidInput for an inline file that is no image."""
    if not given.inline:
        return file
    if file.content_type not in INLINE_TYPES:
        raise _invalid("attachments", f"inline: must be one of {', '.join(sorted(INLINE_TYPES))}")
    return file.model_copy(update={"inline": True})


def _with_own_names(files: Sequence[DraftFile]) -> list[DraftFile]:
    """Return the files under different names: a sent file is stored under its name."""
    named: dict[str, DraftFile] = {}
    for number, file in enumerate(files, 1):
        name = attachments.safe_name(file.filename, number, named)
        named[name] = file.model_copy(update={"filename": name})
    return list(named.values())


def _read(deps: ApiDependencies, file: DraftFile) -> DraftFile:
    """Return an uploaded file with its hash: its form may still replace it. Raises InvalidInput for a program."""
    content = attachments.make(
        deps.bucket.get(file.s3_key),
        name=file.filename,
        content_type=file.content_type,
        content_id=None,
        is_inline=False,
    )
    if content.is_blocked:
        raise _invalid("attachments", "executables and scripts cannot be sent")
    return file.model_copy(update={"size": content.size, "sha256": content.sha256})


def _uploaded(deps: ApiDependencies, thread: Thread, given: FileInput) -> DraftFile:
    name = attachments.safe_name(str(given.filename), 1, ())
    key = objects.attachment_key(thread.conversation_id, str(given.upload), name)
    try:
        return DraftFile(
            s3_key=key,
            filename=name,
            content_type=deps.bucket.content_type(key),
            size=deps.bucket.size(key),
        )
    except ClientError as error:
        if deps.bucket.is_missing(key, error):
            raise _invalid("attachments", "the upload was not found") from None
        raise


def _of_mail(deps: ApiDependencies, thread: Thread, given: FileInput) -> DraftFile:
    found = threads.mails(deps.table, thread.conversation_id, [given.n or 0])
    listed = found[0].attachments if found else []
    index = given.index or 0
    if index >= len(listed):
        raise _invalid("attachments", "the mail has no such file")
    file = listed[index]
    if file.s3_key is None or file.blocked:
        raise _invalid("attachments", "the file may be harmful and is not sent")
    return DraftFile(
        s3_key=file.s3_key, filename=file.filename, content_type=file.content_type, size=file.size
    )


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
