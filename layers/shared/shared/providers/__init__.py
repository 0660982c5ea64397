"""The wires to providers: each call is one attempt, and its outcome is one of the exceptions of `outcomes`."""
