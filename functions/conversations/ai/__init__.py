"""
Prompts, model calls and checks of answers. No module stores or sends anything.

    dialogue, outcome                   one turn: model calls, function calls, one repair call; its result
    prompt, functions, output_schema    input of the model: system prompt, tools, form of the answer
    checks                              guardrails, faults and language of an answer
    config, json_schema                 settings of a project and the parameters of its functions
"""
