"""Running what was handed in: each submission in a process of its own, or a folder of them."""
