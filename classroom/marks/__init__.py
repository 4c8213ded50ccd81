"""Write what comes of a class's grades: the table, pages, and files for Moodle or Canvas."""
