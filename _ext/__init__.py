"""Provide the Sphinx extensions of the site, which _config.yml explains one by one."""
