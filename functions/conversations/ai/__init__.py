"""
Prompts, model calls and checks of answers. No module stores or sends anything.

    turn                                its input, model and function calls, one repair call; faults of its answers;
                                        dialogues that an agent must answer
    outcome                             the result of a turn
    prompt, functions, schemas          input of the model: system prompt, tools, form of the answer
    checks                              guardrails, faults and language of an answer
    phrases                             words by which customers ask for a person, ask, or opt out
    config, project_checks              settings of a project, and their check
    knowledge                           documents and the search in them
"""
