"""
One small port to language models: a system text, a history and tools in, a reply out. Who answers is a setting.

    bedrock    Amazon Bedrock, Converse: the default on AWS
    openai     OpenAI, Responses: stateless, our history every time
    scripted   fixed answers, for the local stack and tests: it never leaves the process

What customers wrote goes in as data in the history, never into the system text. A reply is nobody's word until the
caller has checked it: its stop, its schema, its length.
"""

from shared.ai.port import (
    Exchange,
    Limits,
    Message,
    Model,
    Repeat,
    Reply,
    Role,
    Schema,
    Stop,
    Tool,
    ToolCall,
    Turn,
    Unavailable,
    Usage,
    alternating,
)

__all__ = [
    "Exchange",
    "Limits",
    "Message",
    "Model",
    "Repeat",
    "Reply",
    "Role",
    "Schema",
    "Stop",
    "Tool",
    "ToolCall",
    "Turn",
    "Unavailable",
    "Usage",
    "alternating",
]
