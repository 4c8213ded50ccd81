"""What comes of grades: the table, and what a class did not understand."""
