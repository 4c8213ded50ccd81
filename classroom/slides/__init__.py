"""Make slides for each chapter from its built page, with its pictures and live explorers."""
