"""
Operations of the two WhatsApp APIs besides messages and media, one module per domain.

A module has `GRAPH`, endpoints of Meta's Graph API, `NODES`, operations on an object by its id alone, and `AWS`,
endpoints of AWS End User Messaging Social; each is optional.
"""
