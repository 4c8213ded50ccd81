"""Sphinx extensions for a light, self-hosted, accessible site; _config.yml explains each one."""
