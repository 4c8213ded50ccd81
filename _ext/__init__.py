"""Sphinx extensions that make the site light, self-hosted and accessible.

In the order in which a build meets them:

outputs    before a notebook is parsed: figures become inline SVG, explorers a host element
           (svg: one matplotlib picture, made fit for a page)
formulas   KaTeX's style sheet and fonts, from node_modules; no formula may fail to render
places     in each parsed page: what a Markdown link may point at
explorers  each explorer as a classic script, the loader and the style, where they are used
slim       after the build: _build/site, a light copy of _build/html
           (page: one page's HTML, anchors: links to its figures and formulas, references: links
           from its text to formulas, terms and sources, publish: addresses and the 404 page,
           purge: the style sheet, icons: the icon font, elsewhere: where else a chapter runs,
           copies: its notebook made to run there)
"""
