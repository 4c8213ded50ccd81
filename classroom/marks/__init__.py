"""Write the results of a class as a table, as pages, and as files for Moodle or Canvas."""
