"""Flags of a mail that agents see. The item classes need them without the parser."""

from enum import StrEnum


class Flag(StrEnum):
    """A flag of a mail that agents see."""

    HTML_TRUNCATED = "html_truncated"
    ATTACHMENTS_CUT = "attachments_cut"
    TNEF = "tnef"
    ENCRYPTED = "encrypted"
    DEFECTS = "defects"
    MULTIPLE_FROM = "multiple_from"
