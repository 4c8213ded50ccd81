"""Put the site of each language into the English one: python -m tools.languages

_build/site/de holds the German site, and so on for each folder in `locale/`. A page that is there
in another language gets a link to it in the bar at its top, and, where the site's address is known,
tells it to search engines. What is not there is not linked.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from babel import Locale

from _ext import publish
from _ext.languages import tag
from tools.translation import FOLDER, ROOT

SITE = ROOT / "_build" / "site"
ENGLISH = '<p class="om-untranslated">'  # a page says so that is in another site, but in English
_SLOT = re.compile(r'(<nav class="om-languages" aria-label="[^"]*").*?(?=</nav>)')
_TOLD = re.compile(r'<link rel="alternate" hreflang=.*\n')


def languages() -> list[str]:
    return sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())


def name(language: str) -> str:
    """What a language is called by those who speak it.

    >>> name("de"), name("pt_BR")
    ('Deutsch', 'Português (Brasil)')
    """
    own = Locale.parse(language, sep="_").get_display_name() or language
    return own[0].upper() + own[1:]


def link(page: Path, language: str, other: Path) -> str:
    address = Path(os.path.relpath(other, page.parent)).as_posix()
    said = f'rel="alternate" hreflang="{tag(language)}" lang="{tag(language)}"'
    return f'<a {said} href="{address}">{name(language)}</a>'


def root(address: str, language: str) -> str:
    """Where the site of a language lies, the English one at the address itself."""
    return address if language == "en" else f"{address}{language}/"


def alternates(page: str, languages: list[str], address: str) -> str:
    """The lines by which search engines know a page in its languages; x-default is the English."""
    path = publish.path_of(page)
    told = {tag(one): root(address, one) + path for one in languages}
    lines = (told | {"x-default": address + path}).items()
    return "".join(f'<link rel="alternate" hreflang="{one}" href="{at}">\n' for one, at in lines)


def join(site: Path, others: list[str], address: str = "") -> int:
    """Link each page of a site, and of its folders, with the same in other languages; how many."""
    homes = {"en": site} | {language: site / language for language in others}
    linked = 0
    for english in [*site.glob("*.html"), *site.glob("chapters/*.html")]:
        file = english.relative_to(site)
        if file.name == "404.html":  # shown at any address, it knows no page
            continue
        pages = {one: home / file for one, home in homes.items() if (home / file).is_file()}
        texts = {one: page.read_text("utf-8") for one, page in pages.items()}
        own = [one for one in texts if ENGLISH not in texts[one]]
        for language, text in texts.items():
            page = pages[language]
            links = "".join(link(page, one, pages[one]) for one in own if one != language)
            slot = f"{'>' if links else ' hidden>'}{links}"
            text, count = _SLOT.subn(rf"\1{slot}", _TOLD.sub("", text))
            if address and len(own) > 1 and language in own:
                told = alternates(file.with_suffix("").as_posix(), own, address)
                text = text.replace("</head>", f"{told}</head>", 1)
            page.write_text(text, "utf-8")
            linked += count * bool(links)
    return linked


def main() -> None:
    others, address = languages(), publish.site_address()
    for language in others:
        # a process for each: Sphinx keeps the language that it spoke first
        build = [sys.executable, "-m", "tools.translation", "site", language]
        subprocess.run(build, cwd=ROOT, check=True)
        shutil.rmtree(SITE / language, ignore_errors=True)
        shutil.copytree(ROOT / "_build" / language / "site", SITE / language)
        (SITE / language / "404.html").unlink()  # a server shows the one at its root alone
    if address:  # robots look for their file at the root alone
        maps = (f"Sitemap: {root(address, one)}sitemap.xml\n" for one in ["en", *others])
        (SITE / "robots.txt").write_text("User-agent: *\n" + "".join(maps), "utf-8")
        for language in others:
            (SITE / language / "robots.txt").unlink()
    names = ", ".join(map(name, others))
    print(f"{join(SITE, others, address)} pages lead to themselves in another language: {names}.")


if __name__ == "__main__":
    main()
