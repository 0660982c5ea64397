"""Items about business accounts: their numbers, payments, and the providers' reports."""
