"""Let the tests in this folder and below it import the modules of this folder."""
