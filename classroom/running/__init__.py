"""Run submissions: each in a process of its own, one at a time or a whole folder."""
