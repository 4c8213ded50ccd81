"""Make a deck of cards for Anki: misconceptions, formulas, pictures to read, and questions."""
