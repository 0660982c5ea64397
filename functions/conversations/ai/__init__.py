"""
Prompts, model calls and checks of answers. No module stores or sends anything.

    dialogue, outcome                   one turn: model calls, function calls, one repair call; its result
    answer_review, escalation           faults of its answers; dialogues that an agent must answer
    exchanges                           what customers wrote, and whether two answers say the same
    prompt, functions, schemas          input of the model: system prompt, tools, form of the answer
    checks                              guardrails, faults and language of an answer
    phrases                             words by which customers ask for a person, ask, or opt out
    config, project_checks              settings of a project, and their check
    task, knowledge                     what a turn is about; documents and the search in them
"""
