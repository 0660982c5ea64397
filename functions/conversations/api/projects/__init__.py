"""Projects over the API: their settings in versions, and trying a version without sending anything."""
