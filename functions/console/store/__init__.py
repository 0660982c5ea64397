"""Items that only the console reads and writes, by access pattern."""
