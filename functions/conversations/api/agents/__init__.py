"""The actions of human agents: take over, write, hand back, release, resolve, close, reopen, consent."""
