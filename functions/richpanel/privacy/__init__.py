"""Erases and exports what the middleware keeps of a customer; tickets are erased by their ids."""
