"""
Threading: which thread a mail belongs to, whether its sender may join it, and the append.

Ids are functions of the headers alone, so that the order of arrival does not matter.
"""
