"""
How often is too often: three counters, each of one item per subject and one conditional write per thing counted.

    moments  the moments of the last few sends: few of them in any hour, day or week, each action counted once
    pace     when the next send may be: a rate with short bursts, as providers allow a number or a pair
    quotas   how many there were in this minute and this day: limits too high to remember each moment

What a subject is (a person of a company, a conversation, a pair of numbers) and its key are the context's to say; the
parts of a subject that are people's addresses are hashed.
"""
