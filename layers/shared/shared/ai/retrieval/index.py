"""
The full-text index of one corpus: a SQLite file with an FTS5 table of chunks.

The indexed column has the terms of a chunk, see `shared.ai.texts.languages.word_forms`: one for all forms of a word in
the language of its document. SQLite without FTS5 raises RetrieverUnavailable (`fts5_missing`): there is no other
implementation.

FTS5 ranks the candidates; the score then says how much of the query a chunk has. Each word of the query counts by its
rarity, 1 for one that a single chunk has, near 0 for one that all have. With m the sum over the words found (of a query
of one or two words, three halves of it or three times), the score is m / (m + 1): below 0.5 for a single word of a long
query.
"""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared.ai.retrieval.port import SCORE_DIGITS, Passage, RetrieverUnavailable
from shared.ai.texts.languages.function_words import SMALL_WORDS
from shared.ai.texts.languages.word_forms import STEMMERS, forms_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from shared.ai.retrieval.chunks import Chunk
    from shared.ai.retrieval.port import Query

FORMAT: Final = (
    3  # raise it with each change of tables, tokens or chunks: stored indexes are then built again
)
SOURCE: Final = "local-corpus"
MOST_TERMS: Final = 64  # words of a query
MOST_CANDIDATES: Final = 400
FULL: Final = 3  # words that a query needs for a full score
_MISSING: Final = "no such module: fts5"
_TABLES = """
    CREATE VIRTUAL TABLE passages USING fts5(
        terms, text UNINDEXED, title UNINDEXED, url UNINDEXED, date UNINDEXED, uri UNINDEXED,
        topics UNINDEXED, tokenize = 'unicode61 remove_diacritics 0'
    );
    CREATE TABLE corpus (chunks INTEGER NOT NULL);
"""
_INSERT = (
    "INSERT INTO passages (terms, text, title, url, date, uri, topics) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
# Sorts keys only: a word can occur in every chunk. Topics are lines, the query's in JSON.
_SEARCH = """
    WITH best AS MATERIALIZED (
        SELECT rowid AS id, bm25(passages) AS rank FROM passages
        WHERE passages MATCH :match AND date >= :since AND date <= :until
        AND (:topics = '[]' OR EXISTS (
            SELECT 1 FROM json_each(:topics) AS wanted
            WHERE instr(topics, char(10) || wanted.value || char(10))
        ))
        ORDER BY 2, 1 LIMIT :limit
    )
    SELECT terms, text, title, url, date, uri
    FROM best JOIN passages ON passages.rowid = best.id ORDER BY best.rank, best.id
"""
_VOCABULARY = "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, passages, 'row')"


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a query: its forms, and its weight from 0 to 1."""

    forms: tuple[str, ...]
    weight: float

    def is_in(self, terms: frozenset[str]) -> bool:
        return not terms.isdisjoint(self.forms)


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
        rows = (
            (_terms(c), c.text, c.title, c.url, c.date, c.uri, _as_lines(c.topics)) for c in chunks
        )
        connection.executemany(_INSERT, rows)
        count: int = connection.execute("SELECT count(*) FROM passages_docsize").fetchone()[0]
        connection.execute("INSERT INTO corpus VALUES (?)", (count,))
        connection.execute("INSERT INTO passages (passages) VALUES ('optimize')")
        connection.execute("COMMIT")
    return count


def search(file: Path, query: Query, *, limit: int) -> list[Passage]:
    """
    Return at most *limit* passages with a word of the query, best first; none if it has no words.

    Raises RetrieverUnavailable, and sqlite3.DatabaseError if the file is damaged.
    """
    forms = words_of(query.text, query.language)
    if not forms:
        return []
    context = words_of(query.context, query.language)
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        try:
            (count,) = connection.execute("SELECT chunks FROM corpus").fetchone()
            connection.execute(_VOCABULARY)
            words, near = (_weighed(connection, one, count) for one in (forms, context))
            values = {
                "match": " OR ".join(f'"{form}"' for word in words for form in word.forms),
                "limit": max(MOST_CANDIDATES, 2 * limit),
                "since": query.since or "",
                "until": query.until or "\x7f",
                "topics": json.dumps(query.topics),
            }
            rows = connection.execute(_SEARCH, values).fetchall()
        except sqlite3.OperationalError as error:
            raise _unavailable(error) from None
    found: list[tuple[float, Passage]] = []
    for terms, *fields in rows:
        known = frozenset(terms.split())
        passage = _passage(fields, score(words, known))
        found.append((passage.score + _found(near, known), passage))
    found.sort(key=lambda one: -one[0])  # stable: by rank among equals
    return [passage for _, passage in found[:limit]]


def words_of(text: str, language: str | None) -> list[tuple[str, ...]]:
    """Return the words of a query, each with its forms; without function words, unless it has no others."""
    found = forms_of(text, language)
    of_language = SMALL_WORDS.get(language or "")
    known = [of_language] if of_language else list(SMALL_WORDS.values())
    rare = [forms for forms in found if not any(forms[0] in small for small in known)]
    return (rare or found)[:MOST_TERMS]


def score(words: Sequence[_Word], terms: frozenset[str]) -> float:
    """Return m / (m + 1), see the module."""
    whole = min(FULL, len(words))
    m = _found(words, terms) * FULL / whole if whole else 0.0
    return round(m / (m + 1), SCORE_DIGITS)


def _found(words: Iterable[_Word], terms: frozenset[str]) -> float:
    return sum(word.weight for word in words if word.is_in(terms))


def _weighed(
    connection: sqlite3.Connection, words: Sequence[tuple[str, ...]], chunks: int
) -> list[_Word]:
    weights = []
    for forms in words:
        marks = ", ".join("?" * len(forms))
        counted = f"SELECT total(doc) FROM vocabulary WHERE term IN ({marks})"  # noqa: S608 - question marks only
        (found,) = connection.execute(counted, forms).fetchone()
        share = chunks / min(max(found, 1), chunks) if chunks else 1
        weights.append(_Word(forms, math.log(1 + share) / math.log(1 + max(chunks, 1))))
    return weights


def _terms(chunk: Chunk) -> str:
    """Return the terms of a chunk; of one whose language is uncertain, the terms of all languages."""
    text = f"{chunk.title}\n{chunk.text}"
    languages = [chunk.language] if chunk.language is not None else list(STEMMERS)
    return " ".join(dict.fromkeys(term for one in languages for term in terms_of(text, one)))


def _as_lines(topics: Sequence[str]) -> str:
    return "".join(f"\n{topic}\n" for topic in topics)


def _passage(fields: Sequence[str], value: float) -> Passage:
    text, title, url, date, uri = fields
    return Passage(text, value, title, url, uri, date, SOURCE)


def _unavailable(error: sqlite3.OperationalError) -> Exception:
    return RetrieverUnavailable("fts5_missing") if _MISSING in str(error) else error
