"""
Common interface to language models: system text, history and tools in, a reply out. A setting selects the provider.

    bedrock    Amazon Bedrock, Converse: the default on AWS
    openai     OpenAI, Responses: stateless, the full history in every call
    settings   the settings of a model; `providers` creates the model from them
    links      the links in a model's text; `texts` finds placeholders and control characters

Customer text is passed as data in the history, never in the system text. Callers must check a reply before using it:
its stop reason, its schema, its length.
"""
