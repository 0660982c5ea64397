"""Invocation of one built function: Lambda's runtime interface emulator or the SAM CLI."""
