"""What a training in a browser draws is what was recorded of it."""

import numpy as np
from drawn import Drawing, Show, follows, near
from hands import until

from pe_lib.course.explorers import TrainExplorer

SHADE = 0.01  # neighbours in the colour map differ by less


def test_train(show: Show) -> None:
    explorer = TrainExplorer(scheme="learned", causal=False, steps=300, head=1)
    page = show(explorer)
    until(page, "document.querySelector('.ex-reading').innerText.startsWith('Step 300')")
    drawing, run = Drawing(page), explorer.recorded()
    assert run
    (*across, steps, places), (*down, losses, shares) = drawing.axes()
    for map_, x, y, name in zip(
        drawing.all("map"), across, down, ("likeness", "attention"), strict=True
    ):
        near(map_.values, explorer.map(name), SHADE)
        near(map_.points.T, [x([-0.5, 15.5]), y([-0.5, 15.5])])
    (curve,) = drawing.curves("blue")
    rounded = 2.08 / np.log(8)  # the axis has the loss of guessing, to two digits
    follows(curve, steps(np.arange(2.5, 300, 5)), losses(rounded * np.array(run["loss"])))
    (right,) = drawing.curves("orange")
    near(right.points[:, 0], places(np.arange(1, 48)))
    found = (right.points[:, 1] - shares(0)) / (shares(1) - shares(0))
    near(found.mean(), run["right"]["48"], 1e-3)
    near([line.at[0] for line in drawing.straight("ink")], [steps(300)])
    near([line.at[0] for line in drawing.straight("muted", dashed=True)], [places(15.5)])
