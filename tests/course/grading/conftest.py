"""Let the tests in this folder and its subfolders import this folder's modules."""
