"""The turn engine: claim, write, pass the fence, send once, settle."""
