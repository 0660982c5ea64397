"""Upload a folder of documents for newsletters and AI conversations; try the embedded search on a folder or a stack."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import boto3

from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse
from shared.ai.retrieval import CorpusTooLarge, Query, RetrievalRefused
from shared.ai.retrieval.chunks import wrong_kind
from shared.ai.retrieval.corpora import (
    Corpus,
    FolderCorpus,
    S3Corpus,
    check_size,
    company_prefix,
    documents_of,
)
from shared.ai.retrieval.local import LocalRetriever
from shared.ai.retrieval.metadata import SUFFIX
from shared.aws.s3 import Bucket
from shared.runtime.observability import logger

BUCKET = "NewslettersBucketName"  # output of template.yaml
LONGEST_SHOWN = 200  # characters of a passage


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, lambda options: int(options.run(options)))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations documents", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    summary = (
        "put the documents of a folder into the bucket; documents of the same names are replaced"
    )
    upload = arguments.sub_command(commands, "upload", _upload, summary)
    arguments.add_stack(upload)
    upload.add_argument("--company", type=arguments.company, required=True, help="their owner")
    upload.add_argument("folder", type=_folder, help="with .md, .txt and .html files")
    summary = "print the passages that a search finds, best first; with --folder without AWS"
    search = arguments.sub_command(commands, "search", _search, summary)
    where = search.add_mutually_exclusive_group(required=True)
    arguments.add_stack_to(search, where)
    where.add_argument("--folder", type=_folder, help="search the files of this folder")
    search.add_argument("--company", type=arguments.company, help="needed with a stack")
    search.add_argument("--since", help="only passages dated on this day or later, YYYY-MM-DD")
    search.add_argument("--limit", type=int, default=5, choices=range(1, 51), metavar="1..50")
    search.add_argument("query")
    return own


def _upload(options: argparse.Namespace) -> int:
    bucket = _bucket(options.stack)
    corpus = FolderCorpus(options.folder.parent)
    name = options.folder.name
    documents = _checked(corpus, name)
    for document in documents:
        if kind := wrong_kind(document, corpus.read(name, document) or b""):
            raise Refused(f"{document}: has the content of another kind of file: {kind}")
    for document in documents:
        prefix = company_prefix(options.company)
        # The metadata first: a document without it would be cited without its title and address.
        for file in (f"{document}{SUFFIX}", document):
            body = corpus.read(name, file)
            if body is not None:
                bucket.put(f"{prefix}{file}", body, "application/octet-stream")
        print(document)
    # It has the texts of replaced documents; the next search builds it again.
    S3Corpus(bucket).delete_indexes(options.company)
    print(f"{len(documents)} documents of {options.company} are in the bucket")
    return 0


def _search(options: argparse.Namespace) -> int:
    corpus: Corpus
    if options.folder is not None:
        corpus, company = FolderCorpus(options.folder.parent), options.folder.name
        _checked(corpus, company)
    elif options.company is None:
        raise WrongUse("--company: needed with a stack")
    else:
        corpus, company = S3Corpus(_bucket(options.stack)), options.company
    try:
        with _without_log_lines():
            found = LocalRetriever(corpus).retrieve(
                company, Query(text=options.query, since=options.since), limit=options.limit
            )
    except ValueError:
        raise Refused("--since: must be a date, YYYY-MM-DD") from None
    for passage in found:
        place = passage.url or passage.uri
        print(f"{passage.score:.4f}  {passage.date or 'undated   '}  {passage.title}  {place}")
        print(f"        {' '.join(passage.text.split())[:LONGEST_SHOWN]}")
    print(f"{len(found)} passages")
    return 0


@contextmanager
def _without_log_lines() -> Iterator[None]:
    """Log warnings only: log lines go where the passages are printed."""
    level = logger.log_level
    logger.setLevel("WARNING")
    try:
        yield
    finally:
        logger.setLevel(level)


def _checked(corpus: Corpus, company: str) -> list[str]:
    """Return the names of the documents. Raises Refused if there are none, or too many."""
    try:
        entries = documents_of(corpus.entries(company))
        check_size(entries)
    except RetrievalRefused:
        raise Refused("folder: its name must have letters, digits, ., _ and - only") from None
    except CorpusTooLarge:
        raise Refused("folder: at most 5,000 documents and 50 MB of text") from None
    if not entries:
        raise Refused("folder: has no .md, .txt or .html files")
    return [entry.name for entry in entries]


def _folder(text: str) -> Path:
    path = Path(text).resolve()
    if not path.is_dir():
        raise argparse.ArgumentTypeError("must be an existing folder")
    return path


def _bucket(stack: str) -> Bucket:
    name = arguments.outputs_of(stack, BUCKET)[BUCKET]
    return Bucket(lambda: boto3.client("s3"), name)
