"""Invocation of one built function under Lambda's runtime interface emulator."""
