"""Run submissions in separate processes, and grade a single submission or a whole folder."""
