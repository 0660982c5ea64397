"""
The documents of companies: in a bucket under `corpus/{company_id}/`, or in a folder.

The index of a bucket's documents is stored beside them, under `corpus/{company_id}/_index/`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from botocore.exceptions import ClientError

from shared.ai.retrieval.port import CorpusTooLarge, checked_company

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from shared.aws.s3 import Bucket

INDEX_FOLDER: Final = "_index/"
TEXT_SUFFIXES: Final = (".md", ".txt", ".html")
FILE_SUFFIXES: Final = (".pdf", ".docx")
SUFFIXES: Final = TEXT_SUFFIXES + FILE_SUFFIXES
MOST_DOCUMENTS: Final = 5_000
MOST_BYTES: Final = 50 << 20  # of all documents
_GONE = frozenset({"NoSuchKey", "404"})


@dataclass(frozen=True, slots=True)
class Entry:
    """An object of a company. *name* is its key after the company prefix; *etag* changes with the content."""

    name: str
    etag: str
    size: int  # bytes


class Corpus(Protocol):
    """The documents of companies, and the stored indexes of them."""

    def entries(self, company_id: str) -> list[Entry]:
        """Return documents and metadata objects, without indexes. Raises RetrievalRefused for an invalid company id."""
        ...

    def read(self, company_id: str, name: str) -> bytes | None:
        """Return an object's content; None if it was deleted meanwhile."""
        ...

    def uri(self, company_id: str, name: str) -> str:
        """Return the location of an object, as passages state it."""
        ...

    def load_index(self, company_id: str, index: str, target: Path) -> bool:
        """Write a stored index to *target*. Returns False if it is not stored."""
        ...

    def save_index(self, company_id: str, index: str, file: Path) -> None:
        """Store an index and delete the company's other ones."""
        ...


@dataclass(frozen=True, slots=True)
class S3Corpus:
    """Documents under `corpus/{company_id}/` of a bucket. Raises ClientError and other errors of boto3."""

    bucket: Bucket

    def entries(self, company_id: str) -> list[Entry]:
        """See `Corpus.entries`."""
        prefix = company_prefix(company_id)
        return [
            Entry(stored.key.removeprefix(prefix), stored.etag, stored.size)
            for stored in self.bucket.objects_under(prefix)
            if not stored.key.startswith(prefix + INDEX_FOLDER)
        ]

    def read(self, company_id: str, name: str) -> bytes | None:
        """See `Corpus.read`."""
        try:
            return self.bucket.get(company_prefix(company_id) + name)
        except ClientError as error:
            if error.response["Error"]["Code"] in _GONE:
                return None
            raise

    def uri(self, company_id: str, name: str) -> str:
        """See `Corpus.uri`."""
        return f"s3://{self.bucket.name}/{company_prefix(company_id)}{name}"

    def load_index(self, company_id: str, index: str, target: Path) -> bool:
        """See `Corpus.load_index`."""
        try:
            with target.open("wb") as file:
                file.writelines(self.bucket.chunks(self._index_key(company_id, index)))
        except ClientError as error:
            if error.response["Error"]["Code"] in _GONE:
                return False
            raise
        return True

    def save_index(self, company_id: str, index: str, file: Path) -> None:
        """See `Corpus.save_index`. Deleting an index that another process still needs makes it build it again."""
        key = self._index_key(company_id, index)
        with file.open("rb") as content:
            self.bucket.put_file(key, content, "application/vnd.sqlite3")
        self.delete_indexes(company_id, kept=key)

    def delete_indexes(self, company_id: str, kept: str = "") -> None:
        """Delete the stored indexes apart from the key *kept*: they have the texts of deleted documents."""
        for key in self.bucket.keys_under(company_prefix(company_id) + INDEX_FOLDER):
            if key != kept:
                self.bucket.delete(key)

    def _index_key(self, company_id: str, index: str) -> str:
        return f"{company_prefix(company_id)}{INDEX_FOLDER}{index}.sqlite"


@dataclass(frozen=True, slots=True)
class FolderCorpus:
    """Documents in `<folder>/{company_id}/`. The folder may be read-only: indexes exist in the cache only."""

    folder: Path

    def entries(self, company_id: str) -> list[Entry]:
        """See `Corpus.entries`. Symbolic links are left out: they can lead to documents of another company."""
        root = self.folder / checked_company(company_id)
        found = []
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.is_symlink() or not path.is_file() or name.startswith(INDEX_FOLDER):
                continue
            state = path.stat()
            found.append(Entry(name, f"{state.st_mtime_ns:x}-{state.st_size:x}", state.st_size))
        return found

    def read(self, company_id: str, name: str) -> bytes | None:
        """See `Corpus.read`."""
        try:
            return (self.folder / checked_company(company_id) / name).read_bytes()
        except FileNotFoundError:
            return None

    def uri(self, company_id: str, name: str) -> str:
        """See `Corpus.uri`."""
        return f"{checked_company(company_id)}/{name}"

    def load_index(self, company_id: str, index: str, target: Path) -> bool:  # noqa: ARG002 - see the class
        """See `Corpus.load_index`."""
        return False

    def save_index(self, company_id: str, index: str, file: Path) -> None:
        """See `Corpus.save_index`."""


def company_prefix(company_id: str) -> str:
    """Return the prefix of a company's documents. Raises RetrievalRefused for an invalid company id."""
    return f"corpus/{checked_company(company_id)}/"


def documents_of(entries: Iterable[Entry]) -> list[Entry]:
    """Return the documents among the entries of a corpus."""
    return [entry for entry in entries if is_document(entry.name)]


def is_document(name: str) -> bool:
    """Whether an object with this name is a document."""
    return name.lower().endswith(SUFFIXES)


def check_size(entries: Iterable[Entry]) -> None:
    """Raise CorpusTooLarge if a corpus has too many documents, or too much text in them."""
    documents = documents_of(entries)
    if len(documents) > MOST_DOCUMENTS or sum(entry.size for entry in documents) > MOST_BYTES:
        raise CorpusTooLarge
