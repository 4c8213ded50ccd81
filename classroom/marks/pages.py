"""Pages that open from disk, without a network: one for each student, one on the class.

Each holds all that it shows. The page on the class names nobody, so that it can be projected.
"""

from __future__ import annotations

import html
from collections import Counter
from pathlib import Path
from statistics import median

from classroom.marks import sections
from classroom.marks.statistics import Asked, Class, Mistake
from classroom.marks.table import Mark
from pe_lib.course.grading import feedback, notebooks
from pe_lib.course.grading.sheet import Content, Question

STYLE = Path(__file__).with_name("pages.css")
NOTHING_ELSE = "default-src 'none'; style-src 'unsafe-inline'"
OURS = '<meta name="generator" content="Order Matters">'
SHOWN = 8  # mistakes in the class's list
TWO = 2  # students at least, since a mistake of one points at a person
OTHERS = "it shows other numbers than those that are graded"
BINS = 12  # at most, in the picture of its points
WORDS = {
    "right": ("✓", "right"),
    "partly": ("◐", "partly right"),
    "wrong": ("✗", "wrong"),
    "open": ("○", "blank"),
    "not run": ("–", "not run"),
}


def student(mark: Mark, content: Content, site: str) -> str:
    """What one student got, question by question, with what to read again."""
    assert mark.grade
    grade = mark.grade
    told = "; ".join(filter(None, [mark.file, mark.told()]))
    lines = [
        f"<h1>{_text(mark.student.name)}</h1>",
        f"<p>{_text(content.title)}, exercises: {_text(told)}</p>",
        f'<p class="points"><strong>{feedback.points(grade.score, content.total)}</strong></p>',
    ]
    if reason := grade.said():
        lines.append(f'<article class="ended"><p>{_marked(_sentence(reason))}</p></article>')
    if reason and not grade.score and (grade.foreign or not grade.results):
        lines.append("<p>So none of its questions could be graded.</p>")
        return _page(f"{mark.student.name}: {content.title}", lines)
    for question in content.questions.values():
        result = grade.results.get(question.name)
        kind = result.status if result else "ended"
        sign, words, _ = feedback.STATUS.get(kind, ("–", "Not run", ""))
        score = feedback.points(result.score if result else 0, question.total)
        style = "ended" if kind == "not run" else kind
        lines.append(f'<article class="{style}"><h2>{feedback.marked(question.title)}</h2>')
        lines.append(f"<p><strong>{sign} {words}</strong> · {score}</p>")
        if result and kind != "right":
            good = ", ".join(f"`{part}`" for part in result.good)
            lines += [f"<p>{feedback.marked(f'Right: {good}.')}</p>"] if good else []
            lines += [f"<p>{_marked(result.hint)}</p>"] if result.hint else []
            lines += [feedback.compared(*result.compared)] if result.compared else []
        if kind != "right":
            lines.append(_read(question, site))
        lines.append("</article>")
    return _page(f"{mark.student.name}: {content.title}", lines)


def of_class(content: Content, marks: list[Mark], seen: Class, site: str) -> str:
    """What the class did not understand, and how each question went."""
    grades = [mark.grade for mark in marks if mark.grade]
    scores = [grade.score for grade in grades]
    absent = len(marks) - len(grades)
    lines = [
        f"<h1>{_text(content.title)}: what the class did not understand</h1>",
        f"<p>{len(grades)} students handed in{f', {absent} did not' if absent else ''}.</p>",
    ]
    if not grades:
        return _page(f"{content.title}: the class", lines)
    spread = f"lowest {min(scores):g}, median {median(scores):g}, highest {max(scores):g}"
    lines.append(f"<p>Of {content.total:g} points: {spread}.</p>")
    lines.append(_histogram(scores, content.total))
    lines.append("<h2>To take up again</h2>")
    listed = [m for m in seen.known if m.count >= TWO][:SHOWN]
    lines += [_mistake(m, seen.handed_in, site) for m in listed]
    if not listed:
        by = " by two students or more" if seen.known else ""
        lines.append(f"<p>No known mistake was made{by}.</p>")
    if more := len(seen.known) - len(listed):
        rest = f"{more} rarer mistake{' is' if more == 1 else 's are'} not shown here"
        lines.append(f'<p class="soft">{rest}; the table has them all.</p>')
    lines.append("<h2>Question by question</h2>")
    lines += [_asked(asked, seen.handed_in, site) for asked in seen.asked]
    reasons = Counter(grade.said(OTHERS).partition(":")[0] for grade in grades if grade.reason)
    if reasons:
        lines.append("<h2>Notebooks to look at</h2>")
        lines += [f"<p>{count} × {_marked(reason)}</p>" for reason, count in reasons.most_common()]
    lines.append(
        '<h2>How to read this</h2><p class="soft">The share is the mean of a question\'s points,'
        " as a part of all that it gives. The correlation is that of its points with the points of"
        " all other questions: near 1, who solves this one does well in the rest; below 0, those"
        " who do well in the rest tend to fail it, and it deserves a look. Notebooks"
        " without an answer to this sheet don't count there; it is left out for fewer than thirty"
        " others, and where all got the same. Who made which mistake is in the"
        " table.</p>"
    )
    return _page(f"{content.title}: the class", lines)


def _mistake(mistake: Mistake, students: int, site: str) -> str:
    of = f"{mistake.count} of {students} ({mistake.count / students:.0%})"
    told = f'<p class="soft">Told: {feedback.marked(mistake.text)}</p>' if mistake.text else ""
    head = f"{feedback.marked(mistake.question.title)}: {feedback.marked(mistake.title)}"
    return (
        f'<article class="wrong"><h3>{head}</h3><p><strong>{of}</strong></p>{told}'
        f"{_read(mistake.question, site)}</article>"
    )


def _asked(asked: Asked, students: int, site: str) -> str:
    question, counts = asked.question, asked.counts
    correlation = "" if asked.discrimination is None else (
        f" · correlation with the rest {asked.discrimination:.2f}".replace("-", "−")
    )  # fmt: skip
    bar = "".join(
        f'<span class="is-{kind.replace(" ", "-")}" style="flex: {counts[kind]}"></span>'
        for kind in WORDS
        if counts.get(kind)
    )
    said = "".join(
        f"<li>{sign} {counts[kind]} {words}</li>"
        for kind, (sign, words) in WORDS.items()
        if counts.get(kind)
    )
    frequent = [m for m in asked.mistakes if m.count >= TWO]
    made = "".join(
        f"<li>{m.count} × {feedback.marked(m.title)}</li>" for m in frequent[:3]
    )  # fmt: skip
    return (
        f"<article><h3>{feedback.marked(question.title)}</h3>"
        f"<p>{notebooks.level(question)} · {notebooks.points_in_words(question)} ·"
        f" share <strong>{asked.share:.0%}</strong>{correlation}</p>"
        f'<div class="bar" aria-hidden="true">{bar}</div><ul class="counts">{said}</ul>'
        + (f'<ul class="soft">{made}</ul>' if made else "")
        + f"{_read(question, site)}</article>"
    )


def _read(question: Question, site: str) -> str:
    """The section that prepares the question, as a link where the site's address is known."""
    name, title = sections.place(question)
    chapter = f"Chapter {int(name[:2])}" if name[:2].isdigit() else "The chapter"
    heading = _text(title.strip('"'))
    place = f"{chapter}, <em>{heading}</em>" if heading else chapter
    if address := sections.address(question, site):
        place = f'<a href="{html.escape(address)}">{place}</a>'
    return f"<p>Read: {place}.</p>"


def _histogram(scores: list[float], total: float) -> str:
    """Students by points, each bar with its number."""
    wide = next(w for w in (1, 2, 5, 10, 20, 50, 100, 1_000) if total / w < BINS)
    bins = Counter(int(score // wide) for score in scores)
    count, tall = int(total // wide) + 1, max(bins.values())
    side, said, body = 480 / count, [], ""
    for n in range(count):
        x, height = (n + 0.5) * side, 100 * bins[n] / tall
        body += f'<text x="{x:.1f}" y="150">{n * wide}</text>'
        if bins[n]:
            said.append(f"{bins[n]} from {n * wide}")
            body += (
                f'<rect x="{x - 0.42 * side:.1f}" y="{130 - height:.1f}" width="{0.84 * side:.1f}"'
                f' height="{height:.1f}"/><text x="{x:.1f}" y="{125 - height:.1f}">{bins[n]}</text>'
            )
    unit = f"points, {wide} to a bar" if wide > 1 else "points"
    alt = html.escape(f"Students by {unit}: {', '.join(said)}.")
    body += f'<text x="240" y="172">{unit}</text>'
    return (
        f'<svg class="histogram" viewBox="0 0 480 178" role="img" aria-label="{alt}">{body}</svg>'
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


def _text(plain: str) -> str:
    """Escaped; a name's bytes that are no UTF-8 as \\udc80 and the like."""
    return html.escape(_writable(plain))


def _marked(plain: str) -> str:
    return feedback.marked(_writable(plain))


def _writable(plain: str) -> str:
    return plain.encode("utf-8", "backslashreplace").decode("utf-8")


def _page(title: str, lines: list[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'{OURS}\n<meta http-equiv="Content-Security-Policy" content="{NOTHING_ELSE}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>\n{STYLE.read_text('utf-8')}</style>\n"
        "</head>\n<body>\n<main>\n" + "\n".join(lines) + "\n</main>\n</body>\n</html>\n"
    )
