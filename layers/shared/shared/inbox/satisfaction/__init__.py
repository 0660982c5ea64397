"""The question how satisfied a customer is: signed links, texts and the page of the answer, for every channel."""
