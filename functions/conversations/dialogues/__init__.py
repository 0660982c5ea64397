"""
Dialogues as tests of a project's settings: written by people, played in a world, checked after each turn.

    format.py        what a file says
    files.py         reads files, with the line and the rule of each error
    world.py         what a dialogue is played in: conversations, a clock and a model
    performance.py   plays a dialogue
    turn.py          what happened
    checks.py        compares a turn with its expectations
    report.py        the result as text and as JSON
    rehearsal.py     a world with the real turn of the model and nothing else; `settings`, `recorded`, `unstored`: parts
    evaluation.py    plays scenarios with a version of the settings; `runs` those of stored sets, in a worker
    promptfoo.py     scenarios from tests of promptfoo

`local/dialogues` is the world of `python -m conversations.dialogues`: all handlers over an emulated AWS.
"""
