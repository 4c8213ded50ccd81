"""Slides for each chapter, made of its built page, with its pictures and live explorers."""
