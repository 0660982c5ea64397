"""Trials of a version beside the live one: begun, watched and stopped by people."""
