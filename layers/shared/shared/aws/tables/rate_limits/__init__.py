"""
Rate limits: three kinds of counters, each with one item per subject and one conditional write per counted action.

    frequency_cap  times of the last few sends: low limits per hour, day or week, each action counted once
    gcra           time of the next permitted send: a rate with short bursts, as providers limit a number or a pair
    fixed_window   count in this minute and this day: limits too high to store each time

The context defines the subjects (a customer of a company, a conversation, a pair of numbers) and their keys; customer
addresses in a subject are hashed.
"""
