"""
What evaluations of AI answers share: each context plays its own scenarios.

    judge           a model answers a question about texts, with its reason and its confidence
    bounds          limits the calls and the dollars of a run
    expectations    what a text has to contain, and its language
    answers         scenarios of one answer, such as a draft by mail or a decision on a ticket
    sets            stored sets of scenarios and their runs
"""
