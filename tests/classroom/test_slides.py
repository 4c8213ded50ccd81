"""Slides: a section is a column, what it shows are slides, and what it says are notes."""

from classroom.slides.deck import deck

PAGE = """
<html><head><script src="../_static/explorers/counter.js"></script>
<script src="../_static/quiz.js"></script><script src="../_static/loader.js"></script></head>
<body><div class="om-article"><section id="x"><h1>2. The formula<a class="headerlink">#</a></h1>
<p>After it you can.</p>
<section id="one"><h2>One</h2><p>First said.</p>
<div class="cell tag_hide-input"><details><pre>x</pre></details>
<figure id="figure-2-1"><svg></svg><figcaption><a href="#f">Figure 2.1</a> The message.</figcaption>
</figure></div><p>Said after it.</p>
<section id="deep"><h3>Deep</h3><div class="cell"><pre>print(1)</pre><pre>1</pre></div>
<div class="cell"><pre>LONG</pre></div></section></section>
<section id="two"><h2>Two</h2>
<blockquote><div><p><strong>Predict.</strong> Which?</p></div></blockquote>
<div class="om-predict" data-prediction='{"number": "2.1"}'><ul><li>low</li><li>high</li></ul></div>
<div class="om-veil"><p>Guess.</p><div>
<div class="cell"><div class="om-explorer" data-kind="counter"></div></div>
<div class="cell"><div class="om-predicted" data-prediction='{"number": "2.1"}'><p>Prediction 2.1.
It is: high.</p></div></div></div></div></section>
<section id="wrong"><h2>Wrong</h2><p>Said alone.</p></section>
<section id="aside"><h2>Aside</h2><details class="om-fold"><p>More.</p></details></section>
<section id="exercises"><h2>Exercises</h2><form class="om-quiz"></form></section>
</section></div></body></html>
""".replace("LONG", "line\n" * 30)


def test_a_page_as_slides() -> None:
    made = deck(PAGE)
    kinds = [[slide.kind for slide in column] for column in made.columns]
    assert kinds == [["title"], ["figure", "code"], ["predict", "explorer", "answer"], ["points"]]
    figure, code = made.columns[1]
    assert [figure.title, code.title] == ["<small>One</small> The message.", "Deep"]
    assert [figure.notes, code.notes] == [["<p>First said.</p>"], ["<p>Said after it.</p>"]]
    assert "Said alone." in made.columns[3][0].body
    assert made.scripts == ["../_static/explorers/counter.js", "../_static/loader.js"]


def test_a_prediction_is_voted_on_by_letters_and_its_answer_stands_apart() -> None:
    made = deck(PAGE)
    (vote,) = made.votes
    assert (vote.number, vote.answer) == ("2.1", "high.")
    for asked in (made.columns[2][0].body, vote.asked):
        assert "<b>A</b> low" in asked and "<b>B</b> high" in asked and "It is" not in asked
