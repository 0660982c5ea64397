"""
What a model is asked, what of its answer counts, and who plays it offline. No storage, no sending: values in and out.

    answering   one turn: calls, functions, one repair
    models      the model that a project configured; scripted, which is none
    prompt, templates, functions    what goes out
    output, checks                  what came back, and everything that can be wrong with it
    config, parameters              what a project may configure
"""
