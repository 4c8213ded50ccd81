"""How long a page takes, where a reader stopped, and what has been read."""
