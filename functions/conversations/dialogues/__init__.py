"""
Dialogues as tests of a project's settings: written by people, played with the real handlers, checked after each turn.

    format.py        what a file says
    files.py         reads files, with the line and the rule of each error
    world.py         what a dialogue is played in: conversations, a clock and a model
    performance.py   plays a dialogue
    turn.py          what happened
    checks.py        compares a turn with its expectations
    report.py        the result as text and as JSON

`local/dialogues` is the world of `python -m conversations.dialogues`.
"""
