"""Make slides from the built page of each chapter, with its pictures and live explorers."""
