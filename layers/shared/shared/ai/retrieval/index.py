"""
The full-text index of one corpus: a SQLite file with an FTS5 table of chunks.

Words are stemmed (`porter`, English) and compared without case and diacritics. A language without blanks between words
is found by whole runs of characters only. SQLite without FTS5 raises RetrieverUnavailable (`fts5_missing`): there is
no other implementation.
"""

from __future__ import annotations

import math
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

from shared.ai.retrieval.port import SCORE_DIGITS, Passage, RetrieverUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from shared.ai.retrieval.chunks import Chunk

FORMAT: Final = (
    1  # raise it with each change of tables, tokens or chunks: stored indexes are then built again
)
SOURCE: Final = "local-corpus"
MOST_TERMS: Final = 64
# ASCII only: the tokenizer splits at other punctuation, and vowel signs of many scripts are no word characters.
_TERM = re.compile(r"[^\s\x00-/:-@\[-`{-\x7f]+")
_MISSING: Final = "no such module: fts5"
_TABLES = """
    CREATE VIRTUAL TABLE passages USING fts5(
        text, title, url UNINDEXED, date UNINDEXED, uri UNINDEXED,
        tokenize = 'porter unicode61 remove_diacritics 2'
    );
    CREATE TABLE corpus (chunks INTEGER NOT NULL);
"""
_INSERT = "INSERT INTO passages (text, title, url, date, uri) VALUES (?, ?, ?, ?, ?)"
# Sorts keys only: a word can occur in every chunk.
_SEARCH = """
    WITH best AS MATERIALIZED (
        SELECT rowid AS id, bm25(passages) AS rank FROM passages
        WHERE passages MATCH :match {condition} ORDER BY 2, 1 LIMIT :limit
    )
    SELECT text, title, url, date, uri, best.rank
    FROM best JOIN passages ON passages.rowid = best.id ORDER BY best.rank, best.id
"""
_ANY = _SEARCH.format(condition="")
_DATED = _SEARCH.format(condition="AND date >= :since")


def build(file: Path, chunks: Iterable[Chunk]) -> int:
    """Write an index to a file that does not exist. Returns the number of chunks. Raises RetrieverUnavailable."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        # A crash leaves an incomplete file, which no reader opens.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        try:
            connection.executescript(_TABLES)
        except sqlite3.OperationalError as error:
            raise _unavailable(error) from None
        connection.execute("BEGIN")
        rows = ((c.text, c.title, c.url, c.date, c.uri) for c in chunks)
        connection.executemany(_INSERT, rows)
        count: int = connection.execute("SELECT count(*) FROM passages_docsize").fetchone()[0]
        connection.execute("INSERT INTO corpus VALUES (?)", (count,))
        connection.execute("INSERT INTO passages (passages) VALUES ('optimize')")
        connection.execute("COMMIT")
    return count


def search(file: Path, query: str, *, limit: int, since: str | None) -> list[Passage]:
    """
    Return at most *limit* passages with a term of *query*, best first; none if it has no terms.

    *since*, YYYY-MM-DD, leaves out undated and earlier passages. Raises RetrieverUnavailable, and
    sqlite3.DatabaseError if the file is damaged.
    """
    if not (match := match_expression(query)):
        return []
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        try:
            (count,) = connection.execute("SELECT chunks FROM corpus").fetchone()
            values = {"match": match, "limit": limit, "since": since}
            rows = connection.execute(_DATED if since else _ANY, values).fetchall()
        except sqlite3.OperationalError as error:
            raise _unavailable(error) from None
    return [
        Passage(text, score(rank, count), title, url, uri, date, SOURCE)
        for text, title, url, date, uri, rank in rows
    ]


def score(bm25: float, chunks: int) -> float:
    """Return r/(r+1) of a rank, which FTS5 returns negative; *chunks* makes corpora of different sizes comparable."""
    relevance = max(0.0, -bm25) / math.log(chunks + 1)
    return round(relevance / (relevance + 1), SCORE_DIGITS)


def match_expression(query: str) -> str:
    """Return the FTS5 expression that finds any term of *query*; empty if it has none."""
    terms = dict.fromkeys(term.casefold() for term in _TERM.findall(query))
    quoted = [f'"{term}"' for term in terms if any(map(str.isalnum, term))]
    return " OR ".join(quoted[:MOST_TERMS])


def _unavailable(error: sqlite3.OperationalError) -> Exception:
    return RetrieverUnavailable("fts5_missing") if _MISSING in str(error) else error
