"""Changes of many conversations over all contexts, which go on without the person who asked for them."""
