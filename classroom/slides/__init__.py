"""Make slides from the built page of each chapter, with the page's pictures and explorers."""
