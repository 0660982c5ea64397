"""
One small port to language models: a system text and a history in, a reply out. Who answers is a setting.

    bedrock    Amazon Bedrock, Converse: the default on AWS
    scripted   fixed answers, for the local stack and tests: it never leaves the process

What customers wrote goes in as data in the history, never into the system text. A reply is nobody's word until the
caller has checked it: its stop, its schema, its length.
"""

from shared.ai.port import Limits, Message, Model, Reply, Role, Schema, Stop, Unavailable, Usage

__all__ = ["Limits", "Message", "Model", "Reply", "Role", "Schema", "Stop", "Unavailable", "Usage"]
