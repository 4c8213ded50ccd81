"""Sphinx extensions: a light, self-hosted, accessible site; _config.yml says why each is there."""
