"""Questions on the pages: asked at the end of a chapter, and again in later ones."""
