"""The business's numbers: registration, quality, limits, profiles, QR codes and automation."""
