"""Items of privacy jobs, erased people and lifetimes."""
