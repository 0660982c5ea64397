"""Jobs on contacts, and their imports and exports."""
