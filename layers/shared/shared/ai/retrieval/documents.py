"""
The documents of the local corpus in S3: add, list, read, delete.

A document is two objects: the text, `corpus/{company_id}/{name}`, and its metadata object beside it. The metadata is
written first and deleted last, and states the hash of its text. So a crash between two writes leaves a metadata object
without a text, which has no effect, or with the text that it does not belong to; that text is not found until the
write is repeated.
"""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Final

from botocore.exceptions import ClientError
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from shared.ai.retrieval import metadata
from shared.ai.retrieval.chunks import Document, chunks_of, file_kind
from shared.ai.retrieval.corpora import (
    FILE_SUFFIXES,
    INDEX_FOLDER,
    TEXT_SUFFIXES,
    Entry,
    S3Corpus,
    check_size,
    company_prefix,
    is_document,
)
from shared.ai.retrieval.metadata import Attributes
from shared.ai.retrieval.port import LONGEST_TITLE
from shared.api.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.s3 import Bucket, StoredObject

MOST_BYTES: Final = 1 << 20  # of a text
# Of a PDF or Word file: what one request of Lambda can carry, which is in Base64 twice.
MOST_FILE_BYTES: Final = 3 << 20
MOST_PASSAGES: Final = 40  # that are shown of a document
NAME_RULE: Final = "must have 1 to 100 of a-z, 0-9, ., _ and -, and begin with a letter or digit"
FILE_RULE: Final = f"{NAME_RULE}, and end with .pdf or .docx"
MOST_TOPICS: Final = 20
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_TYPES = {
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
_UNREADABLE = {
    "encrypted": "must not be encrypted",
    "no_text": "must have text: a scan has none",
    "document_too_large": "is too long to be read",
    "file_of_another_kind": "must be the file that the end of its name says",
}
_THREADS: Final = 8


def _public(url: str) -> str:
    if found := metadata.public_url(url):
        return found
    raise ValueError("must be an http or https address with a public host name")


def _calendar_day(text: str) -> str:
    if text != date.fromisoformat(text).isoformat():
        raise ValueError("must have the form YYYY-MM-DD")
    return text


class DocumentAttributes(BaseModel):
    """
    Title, public address, date (YYYY-MM-DD) and topics of a document, as its owner states them. *origin* says who a
    text comes from that is no file.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE)]
    url: Annotated[str, AfterValidator(_public)] | None = None
    date: Annotated[str, AfterValidator(_calendar_day)] | None = None
    topics: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=60)]], Field(max_length=MOST_TOPICS)
    ] = []
    origin: Annotated[str, Field(min_length=1, max_length=60)] | None = None


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document of the corpus. Empty texts are unknown; *changed_at* is UTC, *size* the text's in bytes."""

    name: str
    title: str
    url: str
    date: str
    topics: tuple[str, ...]
    size: int
    changed_at: str  # YYYY-MM-DDTHH:MM:SSZ
    origin: str = ""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """
    A document and its first passages, as the search reads them; *total* is the number of all. *problem* is the code of
    the reason why it cannot be read.
    """

    listed: ListedDocument
    passages: list[str]
    total: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Documents in the order of their names. *last* is the position of the next page; None on the last page."""

    documents: list[ListedDocument]
    last: str | None


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of all companies in one bucket. Raises RetrievalRefused for an invalid company id."""

    bucket: Bucket

    def put(self, company_id: str, name: str, text: str, attributes: DocumentAttributes) -> str:
        """
        Add a document, or replace the one of this name; return its stored name. Safe to repeat.

        A *name* without `.md`, `.txt` or `.html` at its end gets `.md`. Raises InvalidInput: the name, an empty text or
        one over 1 MiB; CorpusTooLarge: the corpus has no room for it.
        """
        stored_name = stored(name)
        self._write(company_id, stored_name, _encoded(text), attributes)
        return stored_name

    def put_file(
        self, company_id: str, name: str, content: bytes, attributes: DocumentAttributes
    ) -> str:
        """
        Add a PDF or Word file, or replace the one of this name. Safe to repeat. Returns its name.

        Raises InvalidInput: the name, a file over 3 MiB or one without readable text; CorpusTooLarge.
        """
        if not _NAME.fullmatch(name) or not name.endswith(FILE_SUFFIXES):
            raise InvalidInput([{"field": "name", "problem": FILE_RULE}])
        if len(content) > MOST_FILE_BYTES:
            problem = f"must have at most {MOST_FILE_BYTES} bytes"
            raise InvalidInput([{"field": "file", "problem": problem}])
        try:
            chunks_of(Document(name, "", content), company_id)
        except metadata.Unreadable as unreadable:
            problem = _UNREADABLE.get(unreadable.reason, "must be a file that can be read")
            raise InvalidInput([{"field": "file", "problem": problem}]) from None
        self._write(company_id, name, content, attributes)
        return name

    def read(self, company_id: str, name: str) -> ReadDocument | None:
        """Return a document with its first passages; None if there is none. Raises InvalidInput for an invalid name."""
        if not _NAME.fullmatch(name):
            raise InvalidInput([{"field": "name", "problem": NAME_RULE}])
        prefix = company_prefix(company_id)
        key = prefix + name
        # A listing begins behind a key: here, behind a shorter one.
        found = next((one for one in self._documents(prefix, name[:-1]) if one.key >= key), None)
        corpus = S3Corpus(self.bucket)
        content = corpus.read(company_id, name) if found and found.key == key else None
        if found is None or content is None:
            return None
        listed = self._listed(prefix, found)
        stated = corpus.read(company_id, name + metadata.SUFFIX)
        try:
            chunks = chunks_of(Document(name, "", content, stated), company_id)
        except metadata.Unreadable as unreadable:
            return ReadDocument(listed, [], 0, unreadable.reason)
        return ReadDocument(listed, [one.text for one in chunks[:MOST_PASSAGES]], len(chunks))

    def page(self, company_id: str, limit: int, after: str = "") -> DocumentPage:
        """Return at most *limit* documents after the position *after*, also in subfolders and of other writers."""
        prefix = company_prefix(company_id)
        entries = list(islice(self._documents(prefix, after), limit + 1))
        shown = entries[:limit]
        with ThreadPoolExecutor(_THREADS) as pool:
            documents = list(pool.map(lambda entry: self._listed(prefix, entry), shown))
        return DocumentPage(documents, documents[-1].name if len(entries) > limit else None)

    def delete(self, company_id: str, name: str) -> bool:
        """
        Delete a document, its metadata, and the stored index, which has its text; return whether it existed.

        An index that is being built meanwhile may still have it; the next search after that replaces the index. Raises
        InvalidInput for an invalid name.
        """
        key = company_prefix(company_id) + stored(name)
        if name.endswith(
            FILE_SUFFIXES
        ):  # a file that was put into the bucket, or a text with this name
            file = company_prefix(company_id) + name
            key = file if file in self.bucket.keys_under(file) else key
        existed = key in self.bucket.keys_under(key)
        self.bucket.delete(key)
        self.bucket.delete(key + metadata.SUFFIX)
        S3Corpus(self.bucket).delete_indexes(company_id)
        return existed

    def _write(
        self, company_id: str, name: str, content: bytes, attributes: DocumentAttributes
    ) -> None:
        corpus = S3Corpus(self.bucket)
        entries = corpus.entries(company_id)
        others = [entry for entry in entries if entry.name != name]
        check_size([*others, Entry(name, "", len(content))])
        key = company_prefix(company_id) + name
        self.bucket.put(key + metadata.SUFFIX, _metadata_object(company_id, content, attributes))
        self.bucket.put(key, content, _TYPES[PurePosixPath(name).suffix])
        if any(entry.name == name for entry in entries):
            corpus.delete_indexes(company_id)

    def _documents(self, prefix: str, after: str) -> Iterator[StoredObject]:
        for entry in self.bucket.objects_under(prefix, prefix + after if after else ""):
            name = entry.key.removeprefix(prefix)
            if is_document(name) and not name.startswith(INDEX_FOLDER):
                yield entry

    def _listed(self, prefix: str, entry: StoredObject) -> ListedDocument:
        known = self._attributes(entry.key + metadata.SUFFIX)
        return ListedDocument(
            name=entry.key.removeprefix(prefix),
            title=known.title,
            url=known.url,
            date=known.date,
            topics=known.topics,
            size=entry.size,
            changed_at=f"{entry.changed_at:%Y-%m-%dT%H:%M:%SZ}",
            origin=known.origin,
        )

    def _attributes(self, key: str) -> Attributes:
        """Return the attributes of a metadata object; nothing if it is missing or invalid."""
        try:
            return metadata.of_object(self.bucket.get(key))
        except metadata.Unreadable:
            return Attributes()
        except ClientError as error:
            if error.response["Error"]["Code"] == "NoSuchKey":
                return Attributes()
            raise


def stored(name: str) -> str:
    """Return the stored name of a document: with an ending. Raises InvalidInput."""
    if not _NAME.fullmatch(name):
        raise InvalidInput([{"field": "name", "problem": NAME_RULE}])
    return name if name.endswith(TEXT_SUFFIXES) else name + TEXT_SUFFIXES[0]


def _encoded(text: str) -> bytes:
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise InvalidInput([{"field": "text", "problem": "must be valid Unicode"}]) from None
    if not text.strip():
        raise InvalidInput([{"field": "text", "problem": "must not be empty"}])
    if kind := file_kind(content):
        problem = f"must be text: this is the content of a {kind} file"
        raise InvalidInput([{"field": "text", "problem": problem}])
    if len(content) > MOST_BYTES:
        problem = f"must have at most {MOST_BYTES} bytes in UTF-8"
        raise InvalidInput([{"field": "text", "problem": problem}])
    return content


def _metadata_object(company_id: str, content: bytes, attributes: DocumentAttributes) -> bytes:
    values: dict[str, object] = attributes.model_dump(exclude_none=True)
    values["company_id"] = company_id
    values["text_sha256"] = hashlib.sha256(content).hexdigest()
    if attributes.date is not None:
        values["published_epoch_day"] = metadata.epoch_day(date.fromisoformat(attributes.date))
    if not attributes.topics:
        del values["topics"]
    return json.dumps({"metadataAttributes": values}, ensure_ascii=False).encode()
