"""
Dialogues as tests of a project's settings: written by people, played in a world, checked after each turn.

    scenarios/       what a file says, and where it is wrong
    world.py         what a dialogue is played in: conversations, a clock and a model
    rehearsal/       a world with the real turn of the model and nothing else
    performance.py   plays a dialogue
    turn.py          what happened
    checks.py        compares a turn with its expectations
    report.py        the result as text and as JSON
    evaluation.py    plays scenarios with a version of the settings; `runs` plays stored sets, in a worker

`local/dialogues` is the world of `python -m conversations.dialogues`: all handlers over an emulated AWS.
"""
