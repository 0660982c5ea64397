"""Texts of a model made from pieces of Markdown, blocks, HTML and addresses."""

from __future__ import annotations

from hypothesis import strategies as st

FRAGMENTS = r"""
    * ** _ __ ~~ ` `` [ ] ( ) ![ ]( < > <b> </b> <a@b.example> # ## - + = 1. 2) > | \ & &amp; &#42; &#10; --- *** a word
    3.5 https:// www. https://bad.example/x [x](https://bad.example/x) javascript:x() ! : " '
"""
BLANKS = (" ", "  ", "\n", "\t", "\u00a0", "\x00", "\r", "\u2028", "\u0628")
HOSTILE = st.lists(st.sampled_from([*FRAGMENTS.split(), *BLANKS]), max_size=14).map("".join)
