"""What a person should know about a mail. The item classes need it without the parser."""

from enum import StrEnum


class Flag(StrEnum):
    """What a person should know about a mail."""

    HTML_TRUNCATED = "html_truncated"
    ATTACHMENTS_CUT = "attachments_cut"
    TNEF = "tnef"
    ENCRYPTED = "encrypted"
    DEFECTS = "defects"
    MULTIPLE_FROM = "multiple_from"
