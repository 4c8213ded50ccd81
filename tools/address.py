"""Write the course's public addresses into the README, the citation file and the distributions.

python -m tools.address SITE [REPOSITORY]

SITE is the address of the published site, and REPOSITORY is the address of the repository on
GitHub. Without REPOSITORY, the command uses the address of git's remote "origin". The README then
gets a command to clone the repository, links to the rendered chapters, and badges that open the
course in Binder and Colab. Running the command again replaces the addresses.
"""

import argparse
import re
import subprocess
from pathlib import Path

from _ext.downloads import links

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = ("pyproject.toml", "pe_lib/course/pyproject.toml", "classroom/pyproject.toml")
CHAPTER = re.compile(r"^(\d+\. \[[^\]]+\])\(.*?chapters/([\w-]+)\.(?:html|ipynb)\)$", re.MULTILINE)
PICTURE_OF_BINDER = "https://mybinder.org/badge_logo.svg"
PICTURE_OF_COLAB = "https://colab.research.google.com/assets/colab-badge.svg"


def repository_of_remote() -> str:
    """Return the web address of git's remote "origin", or "" if the remote is not on GitHub."""
    command = ["git", "remote", "get-url", "origin"]
    remote = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    match = re.fullmatch(
        r"(?:https://|ssh://git@|git@)github\.com[/:]([\w./-]+?)(?:\.git)?/?", remote
    )
    return f"https://github.com/{match[1]}" if match else ""


def public_addresses(site: str, repository: str) -> links.Public:
    """Return the addresses that readers see on the site that `publish.yml` builds."""
    server, owner, name = repository.rstrip("/").rsplit("/", 2)
    return links.public({
        "SITE_URL": site,
        "GITHUB_SERVER_URL": server,
        "GITHUB_REPOSITORY": f"{owner}/{name}",
        "GITHUB_REF_NAME": "main",
        "NOTEBOOKS_BRANCH": "notebooks",
    })  # fmt: skip


def replace_region(text: str, name: str, content: str) -> str:
    """Replace the text between the comments `<!-- name -->` and `<!-- /name -->`."""
    pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
    text, count = re.subn(pattern, lambda m: f"{m[1]}{content}{m[2]}", text, flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"README.md must have one place <!-- {name} --> … <!-- /{name} -->")
    return text


def write_readme(readme: str, site: str, repository: str) -> str:
    """Return the README with badges, a command for cloning, and links to rendered chapters."""
    public = public_addresses(site, repository)
    badges = f"**[Read it at {site}]({site}/)**"
    if public.binder:
        badges += f"\n[![Open in Binder]({PICTURE_OF_BINDER})]({public.binder}00-start-here.ipynb)"
        badges += f"\n[![Open in Colab]({PICTURE_OF_COLAB})]({public.colab}00-start-here.ipynb)"
    readme = replace_region(readme, "badges", f"\n{badges}\n\n")
    clone = f"git clone {repository} order-matters"
    readme = replace_region(readme, "clone", f"\n```sh\n{clone}\ncd order-matters\n```\n\n")
    return CHAPTER.sub(rf"\1({site}/chapters/\2.html)", readme)


def write_citation(citation: str, site: str, repository: str) -> str:
    """Return CITATION.cff with the addresses of the site and the repository."""
    rest = re.sub(r"^(?:url|repository-code): .*\n", "", citation, flags=re.MULTILINE)
    return f"{rest}url: {site}/\nrepository-code: {repository}\n"


def write_project(project: str, site: str, repository: str) -> str:
    """Return the text of a pyproject.toml with both addresses as URLs of the project."""
    rest = re.sub(r"^urls = .*\n", "", project, flags=re.MULTILINE)
    urls = f'urls = {{ Homepage = "{site}/", Source = "{repository}" }}'
    return re.sub(r"^(authors = .*\n)", rf"\1{urls}\n", rest, count=1, flags=re.MULTILINE)


def write_addresses(root: Path, site: str, repository: str) -> list[Path]:
    """Write both addresses into all files that contain them, and return the files' paths."""
    site, repository = site.rstrip("/"), repository.rstrip("/").removesuffix(".git")
    writers = {"README.md": write_readme, "CITATION.cff": write_citation}
    writers |= dict.fromkeys(PROJECTS, write_project)
    for name, writer in writers.items():
        text = (root / name).read_text("utf-8")
        (root / name).write_text(writer(text, site, repository), "utf-8")
    return [root / name for name in writers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", help="the site's address, like https://me.github.io/course")
    parser.add_argument("repository", nargs="?", help="like https://github.com/me/course")
    options = parser.parse_args()
    repository = options.repository or repository_of_remote()
    for name, address in (("SITE_URL", options.site), ("REPOSITORY", repository)):
        if not re.match(r"https?://[^/\s]+(/\S*)?$", address):
            example = "SITE_URL=https://me.github.io/course REPOSITORY=https://github.com/me/course"
            raise SystemExit(f"{name} must be an address, got {address!r}: make address {example}")
    for path in write_addresses(ROOT, options.site, repository):
        print(f"{path.relative_to(ROOT)} names {options.site}")


if __name__ == "__main__":
    main()
