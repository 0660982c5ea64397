"""
Newsletters: from topics to an exported issue, in four steps.

A person or a program chooses topics, retrieves dated passages for them, has an outline and a draft written with
citations, edits both, and exports the draft. This context owns the items under `NEWSLETTER#` and `NL...` of its table,
which other systems may share, and the objects of its bucket. It never sends anything to readers, and it never states
a fact of a source without its citation.
"""
