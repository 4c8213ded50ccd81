"""Sphinx extensions that make the site: light, self-hosted, accessible.

In the order in which a build meets them:

outputs    before a notebook is parsed: figures become inline SVG, explorers a host element, the
           code that draws is folded (svg: one matplotlib picture, made fit for a page)
predictions  the field below a question, and the guess again beside the result
quiz       the questions of a sheet at the end of its chapter
reviews    the same questions asked again: at the head of later chapters, and on the page Review
places     in each parsed page: what a Markdown link may point at
lookups    links to formulas, figures, terms and sources, with a card for what is at their end
search     the index of all sections, its engine and its dialog
elsewhere  where else a chapter runs (copies: its notebook made to run there)
formulas   KaTeX's style sheet and fonts, from node_modules; no formula may fail to render
explorers  each explorer as a classic script, and the loader, where they are used
writer     the HTML of a page: fewer nodes, and names for readers
face       theme, style sheet, script and faces (fonts), _build/site (publish: its addresses)
"""
