"""Unfolds text of `format=flowed` (RFC 3676): soft line breaks are removed, quote marks and signature marks stay."""

from __future__ import annotations

from typing import Final

_SIGNATURE: Final = "-- "


def unfolded(text: str, *, deletes_space: bool) -> str:
    """
    Return the text with whole paragraphs as lines. *deletes_space*: the parameter `delsp=yes`.

    A line that ends with a space continues on the next one of the same quote depth. A leading space was stuffed.
    """
    lines: list[str] = []
    open_depth: int | None = None  # of the last line, if the next one continues it
    for raw in text.split("\n"):
        content = raw.lstrip(">")
        depth = len(raw) - len(content)
        content = content.removeprefix(" ")
        is_signature = content == _SIGNATURE
        if open_depth == depth and not is_signature:
            lines[-1] += content
        else:
            lines.append(f"{'>' * depth} {content}" if depth else content)
        is_soft = content.endswith(" ") and not is_signature
        if is_soft and deletes_space:
            lines[-1] = lines[-1][:-1]
        open_depth = depth if is_soft else None
    return "\n".join(lines)
