"""The AWS emulator, MiniStack, and its patches."""
