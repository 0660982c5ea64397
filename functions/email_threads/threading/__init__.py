"""
Threading: finds the thread of a mail, decides whether its sender may join it, and appends the mail.

Ids are functions of the headers alone, so that the order of arrival does not matter.
"""
