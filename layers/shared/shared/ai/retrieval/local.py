"""
Full-text search over a company's own documents: the default retriever, which needs no other service.

The index of a corpus is one SQLite file, see `index.py`. Its name is the hash of the corpus's listing, so a changed
document makes another index. It is built at the first query after a change, stored beside the documents for other
processes, and cached in the temporary folder. Processes that build it at the same time write the same content.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import batched
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError, ClientError

from shared.ai.retrieval import chunks, index, metadata
from shared.ai.retrieval.corpora import check_size, documents_of
from shared.ai.retrieval.metadata import Unreadable
from shared.ai.retrieval.port import Passage, Query, RetrieverUnavailable, check_request
from shared.runtime import clock
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.ai.retrieval.chunks import Chunk
    from shared.ai.retrieval.corpora import Corpus, Entry

MOST_CACHED_BYTES: Final = (
    200 << 20
)  # of all companies: a temporary folder of 512 MB also holds a new index
LISTING_MS: Final = 30 * clock.SECOND_MS  # the listing of a large corpus takes ten calls
_THREADS: Final = 8
_BATCH: Final = 64  # documents in memory at a time


def default_cache() -> Path:
    """Return the folder of cached indexes."""
    return Path(tempfile.gettempdir()) / "retrieval-index"


@dataclass(slots=True, eq=False)
class LocalRetriever:
    """
    Searches the documents of a corpus. A changed document is found after *listing_ms* at the latest.

    *cache* is the folder of the indexes in use; the least recently used ones are deleted.
    """

    corpus: Corpus
    cache: Path = field(default_factory=default_cache)
    listing_ms: int = LISTING_MS
    _lock: Lock = field(default_factory=Lock)
    _files: dict[str, tuple[Path, int]] = field(
        default_factory=dict
    )  # of a company: its index, checked at

    def retrieve(self, company_id: str, query: Query, *, limit: int) -> list[Passage]:
        """See `Retriever.retrieve`."""
        check_request(query, limit)
        try:
            with self._lock:
                file = self._index(company_id)
            try:
                return index.search(file, query, limit=limit)
            except sqlite3.DatabaseError:
                # Damaged, or deleted from the cache meanwhile: build it again, once.
                with self._lock:
                    file = self._rebuilt(company_id)
                return index.search(file, query, limit=limit)
        except (ClientError, BotoCoreError, Boto3Error) as error:
            raise RetrieverUnavailable(_code(error)) from None

    def _index(self, company_id: str) -> Path:
        """Return the index of the corpus as it is now."""
        file, checked_at = self._files.get(company_id, (None, 0))
        if file is None or clock.now_ms() - checked_at >= self.listing_ms:
            entries = self.corpus.entries(company_id)
            check_size(entries)
            file = self._prepared(company_id, entries)
            self._files[company_id] = file, clock.now_ms()
        return file

    def _rebuilt(self, company_id: str) -> Path:
        entries = self.corpus.entries(company_id)
        file = self._path(company_id, entries)
        self._build(company_id, entries, file)
        self._files[company_id] = file, clock.now_ms()
        return file

    def _prepared(self, company_id: str, entries: list[Entry]) -> Path:
        file = self._path(company_id, entries)
        if file.exists():
            os.utime(file)
            return file
        with _temporary(file) as target:
            is_stored = self.corpus.load_index(company_id, file.stem, target)
            if is_stored:
                target.replace(file)
        if is_stored:
            _evict(self.cache, file)
        else:
            self._build(company_id, entries, file)
        return file

    def _build(self, company_id: str, entries: list[Entry], file: Path) -> None:
        skipped: Counter[str] = Counter()
        began_ms = clock.now_ms()
        with _temporary(file) as target:
            count = index.build(target, self._chunks(company_id, entries, skipped))
            size = target.stat().st_size
            target.replace(file)
        _evict(self.cache, file)
        logger.info(
            "corpus indexed",
            extra={
                "chunks": count,
                "index_bytes": size,
                "skipped": dict(skipped),
                "duration_ms": clock.now_ms() - began_ms,
            },
        )
        try:
            self.corpus.save_index(company_id, file.stem, file)
        except (ClientError, BotoCoreError, Boto3Error) as error:
            # The passages are the same without it; the next process has to build the index again.
            logger.warning("index not stored", extra={"reason": _code(error)})

    def _chunks(
        self, company_id: str, entries: list[Entry], skipped: Counter[str]
    ) -> Iterator[Chunk]:
        """Yield the chunks of all readable documents, ordered by name; *skipped* counts the others by reason."""
        names = {entry.name for entry in entries}

        def read(name: str) -> tuple[str, bytes | None, bytes | None]:
            described = name + metadata.SUFFIX
            attributes = self.corpus.read(company_id, described) if described in names else None
            return name, self.corpus.read(company_id, name), attributes

        with ThreadPoolExecutor(_THREADS) as pool:
            for batch in batched(documents_of(entries), _BATCH, strict=False):
                for name, content, attributes in pool.map(read, [entry.name for entry in batch]):
                    if content is None:
                        skipped["deleted"] += 1
                        continue
                    uri = self.corpus.uri(company_id, name)
                    document = chunks.Document(name, uri, content, attributes)
                    try:
                        yield from chunks.chunks_of(document, company_id)
                    except Unreadable as error:
                        skipped[error.reason] += 1

    def _path(self, company_id: str, entries: list[Entry]) -> Path:
        return self.cache / company_id / f"{index_name(entries)}.sqlite"


def index_name(entries: list[Entry]) -> str:
    """Return the name of the index of these documents: the hash of their sorted names and contents."""
    digest = hashlib.sha256(f"{index.FORMAT}\n".encode())
    for entry in sorted(entries, key=lambda entry: entry.name):
        digest.update(f"{entry.name}\n{entry.etag}\n".encode())
    return digest.hexdigest()


@contextmanager
def _temporary(file: Path) -> Iterator[Path]:
    """Give a name beside *file* for its incomplete content; removes what is left of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    target = file.with_name(f"{file.stem}.{uuid.uuid4().hex}.part")
    try:
        yield target
    finally:
        target.unlink(missing_ok=True)


def _evict(cache: Path, kept: Path) -> None:
    """Delete the company's other indexes, and the least recently used ones above the limit of the cache."""
    total = kept.stat().st_size
    others = [(file.stat(), file) for file in cache.glob("*/*.sqlite") if file != kept]
    for state, file in sorted(others, key=lambda other: -other[0].st_mtime_ns):
        total += state.st_size
        if file.parent == kept.parent or total > MOST_CACHED_BYTES:
            total -= state.st_size
            file.unlink(missing_ok=True)


def _code(error: ClientError | BotoCoreError | Boto3Error) -> str:
    return (
        error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
    )
