"""Work that the sweep finds when it is due: follow-ups, the question of satisfaction, sends of unknown outcome."""
