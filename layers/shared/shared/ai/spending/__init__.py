"""
Bounds on costs that outsiders cause: a context reserves a cost before it causes it, and is refused beyond the bound.

    bounds    kinds of cost, and how much of each a sender, a mailbox or number, and a company may cause a day (UTC)
    prices    estimates of a cost before the call, and of a model's real use after it
    priced    a model whose replies say what they cost
    budget    reservations and settlements, atomic and idempotent
    ceilings  dollars of a company for all models in a day and a month
    models    a model within the bounds
    usage     what a company has used today, for people

A refused message is stored as any other and waits for a person. Costs that an authenticated person or API key asks for
are not counted here.
"""
