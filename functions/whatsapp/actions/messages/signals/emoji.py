"""Checks whether a text is exactly one emoji (Unicode Technical Standard 51, without its list of valid sequences)."""

import re

_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f004-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_VARIANT = "(?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"  # as a picture, or in a tone of skin
_JOINED = f"{_PICTURE}{_VARIANT}(?:\u200d{_PICTURE}{_VARIANT})*"
_TAGS = "(?:[\U000e0020-\U000e007e]+\U000e007f)?"  # flags of regions
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_KEYCAP = "[0-9#*]\ufe0f?\u20e3"
_EMOJI = re.compile(f"{_JOINED}{_TAGS}|{_FLAG}|{_KEYCAP}")
LONGEST = 40  # code points; a family has 11


def is_emoji(text: str) -> bool:
    """Whether the text is one emoji and nothing else."""
    return len(text) <= LONGEST and _EMOJI.fullmatch(text) is not None
