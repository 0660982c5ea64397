"""Everything that runs Parley on one machine; nothing in here is deployed."""
