"""
Parsing of raw mail: bytes in, one `ParsedMail` out. Pure, without AWS and network.

No mail makes it fail: a mail over a cap, or one that the standard library cannot parse, is *held*, with its headers and
the reason.
"""
