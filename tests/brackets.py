"""A language for tests, in which every sentence stands between brackets."""

import re
from gettext import NullTranslations

_INNER = re.compile(r"⟦[^⟦⟧]*⟧")


class Brackets(NullTranslations):
    """What `texts.use` takes."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def outside(text: str) -> str:
    """What stands outside of all brackets; a sentence may hold another.

    >>> outside("⟦a ⟦b⟧ c⟧ d")
    ' d'
    """
    while text != (less := _INNER.sub("", text)):
        text = less
    return text
