"""
The trace header of X-Ray, as Lambda gives it to a function and SQS carries it beside a message.

    Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:a87bd80c:0

Root is the trace id, Parent the segment that the next one belongs to. Lambda counts the invocations of a chain in
Lineage and stops loops by it. No X-Ray SDK here: the ingress functions send queue messages too.
"""

import os
import re
from typing import Final

# Set by Lambda for each invocation. X-Ray's SDK, botocore and Powertools Logger read it whenever they need the trace.
VARIABLE = "_X_AMZN_TRACE_ID"
# The attribute of an SQS message that carries the header. It does not count towards the size of the message.
ATTRIBUTE: Final = "AWSTraceHeader"

_FIELDS = {
    "Root": re.compile(r"1-[0-9a-f]{8}-[0-9a-f]{24}"),
    "Parent": re.compile(r"[0-9a-f]{16}"),
    "Sampled": re.compile(r"[01]"),
    "Lineage": re.compile(r"[0-9A-Za-z:|_-]{1,200}"),
}
_REQUIRED = {"Root", "Parent", "Sampled"}


def current() -> str | None:
    """Return the header of the current trace; None if there is none or it is malformed (SQS would refuse a message)."""
    fields = _parsed(os.environ.get(VARIABLE))
    return _text(fields) if fields else None


def is_sampled() -> bool:
    """Whether there is a current trace and X-Ray stores it."""
    return _parsed(os.environ.get(VARIABLE)).get("Sampled") == "1"


def following(header: str | None) -> str | None:
    """
    Return the header with which the trace of *header* goes on in this invocation; None if it is malformed.

    Lineage stays as in the invocation: Lambda has counted this function there.
    """
    fields = _parsed(header)
    lineage = _parsed(os.environ.get(VARIABLE)).get("Lineage")
    fields.pop("Lineage", None)
    return _text(fields | ({"Lineage": lineage} if lineage else {})) if fields else None


def below(header: str, parent: str) -> str:
    """Return *header* with the id of another segment as its parent."""
    return _text(_parsed(header) | {"Parent": parent})


def _parsed(header: str | None) -> dict[str, str]:
    """Return the known fields; empty if a required one is missing or malformed. Other fields are dropped."""
    pairs = (part.strip().partition("=") for part in (header or "").split(";"))
    fields = {
        name: value
        for name, _, value in pairs
        if name in _FIELDS and _FIELDS[name].fullmatch(value)
    }
    return fields if fields.keys() >= _REQUIRED else {}


def _text(fields: dict[str, str]) -> str:
    return ";".join(f"{name}={fields[name]}" for name in _FIELDS if name in fields)
