"""Lists of contacts: routes and members."""
