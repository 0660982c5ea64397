"""Evaluations of AI settings from the command line; `sets` are the scenarios that Parley ships."""
