"""A small sheet with a question of each kind, for the tests of the machinery."""

from pe_lib.course.grading.sheet import Content, Question, parse

TEXT = """\
# Small

One of each.

### Setup
```python
import numpy as np
```

## A number
id: double | kind: number | points: 2 | level: 1 | tolerance: 1e-4

Twice {=x:.2f}? Not $\\frac{1}{2}$.

### Given
```python
def given(rng):
    return {"x": round(float(rng.uniform(1, 9)), 2)}
```

### Start
```python
twice = ...
```

### Hint
Add it to itself.

### Hint
Then look again.

### Solution
$2x = x + x$.

```python
twice = 2 * given.x
```

### Mistake `squared`: squared
You *squared* it, `x * x`.

```python
twice = given.x ** 2
```

### Mistake `text`: a text
You gave a text.

```python
twice = "two"
```

## A set
id: small_ones | kind: set | points: 1 | level: 1

Which of 0 to 9 are below 3?

### Start
```python
small = ...
```

### Hint
Count.

### Solution
Three.

```python
small = [0, 1, 2]
```

### Mistake `from_one`: counted from 1
You started at 1.

```python
small = [1, 2, 3]
```

## Numbers
id: three | kind: numbers | points: 1 | level: 1

The first three squares?

### Start
```python
squares = ...
```

### Hint
0 is one.

### Solution
So.

```python
squares = [0, 1, 4]
```

### Mistake `from_one`: counted from 1
You started at 1.

```python
squares = [1, 4, 9]
```

## A choice
id: pick | kind: choice | points: 1 | level: 2

Which?

- a: the `first`
- b: the second

### Start
```python
picked = ...
```

### Hint
Not the first.

### Solution
The second.

```python
picked = "b"
```

### Mistake `a`: the first
The first is not it.

```python
picked = "a"
```

## A function
id: row | kind: code | points: small 1, large 2 | level: 3

`row(n)`: the numbers below n, and below n squared.

### Given
```python
def given(rng):
    return {"n": int(rng.integers(4, 8)), "start": np.zeros(3)}
```

### Start
```python
def row(n):
    ...
```

### Hint
Range.

### Solution
So.

```python
def row(n):
    return np.arange(n)
```

### Mistake `from_one`: counted from 1
You started at 1.

```python
def row(n):
    return np.arange(1, n + 1)
```

### Mistake `raises`: it raises
It can't work with `n.start`.

```python
def row(n):
    return n.start
```

### Probe
```python
def probe(row, given):
    return {"small": lambda: row(given.n), "large": lambda: row(given.n ** 2)}
```

## To repair
id: mend | kind: code | points: 1 | level: 3

Mend it.

### Start
```python
def total(values):
    return values[0]
```

### Hint
All of them.

### Solution
So.

```python
def total(values):
    return sum(values)
```

### Mistake `last`: the last
That is the last one.

```python
def total(values):
    return values[-1]
```

### Probe
```python
def probe(total, given):
    values = [1, 2, 3]
    return {"answer": lambda: total(values)}
```
"""

CONTENT: Content = parse(TEXT, "99-small")


def question(name: str) -> Question:
    return CONTENT.questions[name]
