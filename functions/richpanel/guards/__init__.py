"""The conditions of a reply: identity, order ownership, opt-outs, switches."""
