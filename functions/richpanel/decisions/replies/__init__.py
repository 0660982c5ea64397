"""The selection of an order reply, its verification, and the rendering of replies."""
