"""Items of accounts: numbers, templates, catalogs and payments."""
