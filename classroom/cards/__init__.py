"""A deck of cards for Anki: what people get wrong, formulas, pictures to read, and questions."""
