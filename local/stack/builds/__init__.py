"""Builds of functions and layers: their files, bytecode, and files that nothing needs."""
