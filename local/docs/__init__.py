"""Generated documentation: table reference pages and README tables."""
