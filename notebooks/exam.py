"""A pool of exam questions with solutions: `python notebooks/exam.py --seed 7 --questions 1,3,5`.

Every question is drawn from a seed, so that each class gets numbers of its own. Numbers are computed here from first
principles, by enumeration and sorting; a test computes them again with the library.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Question:
    """A question with its solution.

    Attributes
    ----------
    title, text, solution : str
        Markdown with formulas.
    minutes : int
        How long it should take.
    given : dict
        What the text states, as values.
    found : dict
        The numbers of the solution.
    """

    title: str
    minutes: int
    text: str
    solution: str
    given: dict[str, Any]
    found: dict[str, Any]


POOL: list[Callable[[np.random.Generator], Question]] = []


def in_pool(question: Callable[[np.random.Generator], Question]) -> Callable[[np.random.Generator], Question]:
    """Add a question to the pool."""
    POOL.append(question)
    return question


def table(scores: np.ndarray, rows: str = "cluster", columns: str = "point") -> str:
    """Scores (k, n) as a table of Markdown."""
    head = f"| | {' | '.join(f'{columns} {j}' for j in range(scores.shape[1]))} |"
    body = [f"| {rows} {i} | {' | '.join(map(str, row))} |" for i, row in enumerate(scores.tolist())]
    return "\n".join([head, "|---" * (scores.shape[1] + 1) + "|", *body])


def best_of(scores: np.ndarray, sizes: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Largest total score (k, n) of a clustering with these sizes, and its labels."""
    k, n = scores.shape
    labellings = (y for y in itertools.product(range(k), repeat=n) if tuple(map(y.count, range(k))) == sizes)
    return max((int(sum(scores[i, j] for j, i in enumerate(y))), y) for y in labellings)


@in_pool
def counting(rng: np.random.Generator) -> Question:
    """How many clusterings there are."""
    n, k = int(rng.integers(7, 12)), 3
    lower, upper = int(rng.integers(1, n // 4 + 1)), int(rng.integers(n // 2, n // 2 + 2))
    shapes = [s for s in itertools.product(range(lower, upper + 1), repeat=k) if sum(s) == n]
    count = sum(math.factorial(n) // math.prod(map(math.factorial, shape)) for shape in shapes)
    text = f"""How many clusterings of {n} points into {k} labelled clusters of {lower} to {upper} points are there?
How many
variables and how many constraints, besides $\\xi \\ge 0$, does the assignment program have?"""
    solution = f"""There are {len(shapes)} vectors of sizes $\\kappa$ with $\\kappa_1 + \\kappa_2 + \\kappa_3 = {n}$
within the bounds, and
$\\sum_\\kappa n! / (\\kappa_1!\\, \\kappa_2!\\, \\kappa_3!)$ = {count} clusterings. The program has {n * k}
variables, {n}
equations of points and {2 * k} inequalities of clusters."""
    given = {"n": n, "k": k, "lower": lower, "upper": upper}
    return Question("Counting", 10, text, solution, given, {"count": count, "variables": n * k, "rows": n + 2 * k})


@in_pool
def by_hand(rng: np.random.Generator) -> Question:
    """An assignment of two clusters, and all its prices."""
    while True:
        scores = rng.integers(0, 13, (2, 6))
        lead = np.sort(scores[0] - scores[1])[::-1]
        if len(set(lead.tolist())) == 6:
            break
    value, labels = best_of(scores, (3, 3))
    high, low = int(lead[2]), int(lead[3])
    text = f"""Six points go to two clusters of three points each. The scores are

{table(scores)}

Find the best assignment, its value, and all differences of prices $\\mu_0 - \\mu_1$ that prove it."""
    own = ", ".join(str(j) for j, i in enumerate(labels) if i == 0)
    solution = f"""Sort the points by what they gain in cluster 0, $\\gamma_{{0j}} - \\gamma_{{1j}}$:
{", ".join(map(str, lead))}. The three
largest go to cluster 0: points {own}. The value is {value}. A price proves this when nobody wants to change, that is,
$\\mu_0 - \\mu_1$ lies between the fourth and the third of these numbers: from {low} to {high}."""
    found = {"value": value, "low": low, "high": high, "labels": labels}
    return Question("By hand", 10, text, solution, {"scores": scores}, found)


@in_pool
def certificate(rng: np.random.Generator) -> Question:
    """A bound from prices that are not optimal."""
    scores = rng.integers(0, 10, (3, 6))
    value, _ = best_of(scores, (2, 2, 2))
    prices = rng.integers(-3, 4, 3)
    parts = (scores - prices[:, None]).max(axis=0)
    dual = int(2 * prices.sum() + parts.sum())
    text = f"""Six points go to three clusters of two points each. The scores are

{table(scores)}

Somebody offers the prices $\\mu = ({", ".join(map(str, prices))})$. Which bound on all assignments do they give? The
best
assignment has the value {value}. Do the prices prove it?"""
    verdict = (
        "Both are equal: the prices prove it."
        if dual == value
        else "The gap is not zero: they prove no more than the bound."
    )
    solution = f"""$\\sum_i 2 \\mu_i$ = {2 * int(prices.sum())}, and $\\max_i (\\gamma_{{ij}} - \\mu_i)$ is
{", ".join(map(str, parts))} for
the six points. By weak duality no assignment is above {dual}. {verdict}"""
    given = {"scores": scores, "prices": prices}
    return Question("A certificate", 10, text, solution, given, {"dual": dual, "value": value})


@in_pool
def wall(rng: np.random.Generator) -> Question:
    """Where a price puts a boundary."""
    a, b = int(rng.integers(-5, 0)), int(rng.integers(2, 8))
    prices = [int(p) for p in rng.integers(-9, 10, 2)]
    place = (a + b) / 2 + (prices[1] - prices[0]) / (2 * (b - a))
    text = f"""On a line, the sites $a_0 = {a}$ and $a_1 = {b}$ have the prices $\\mu_0 = {prices[0]}$ and $\\mu_1 =
{prices[1]}$; a point goes
where $(x - a_i)^2 + \\mu_i$ is smallest. Where is the boundary? Where would it be if both prices were zero? Which way
does it
move when $\\mu_0$ grows?"""
    solution = f"""$(x - a_0)^2 + \\mu_0 = (x - a_1)^2 + \\mu_1$ is linear in $x$ and gives
$x = \\frac{{a_0 + a_1}}{{2}} + \\frac{{\\mu_1 - \\mu_0}}{{2 (a_1 - a_0)}}$ = {place:.4g}. With equal prices the boundary
is half way, at
{(a + b) / 2:g}. When $\\mu_0$ grows it moves towards $a_0$: the cell of site 0 shrinks."""
    given = {"sites": (a, b), "prices": prices}
    return Question("Where the boundary runs", 10, text, solution, given, {"place": place})


@in_pool
def exchange(rng: np.random.Generator) -> Question:
    """A cycle of moves that gains."""
    while True:
        scores = rng.integers(0, 10, (3, 6))
        value, labels = best_of(scores, (2, 2, 2))
        spoilt = tuple(
            (i + 1) % 3 if j in (labels.index(0), labels.index(1), labels.index(2)) else i for j, i in enumerate(labels)
        )
        now = int(sum(scores[i, j] for j, i in enumerate(spoilt)))
        if now < value:
            break
    arcs = [[min(int(scores[i, j] - scores[t, j]) for j in range(6) if spoilt[j] == i) if i != t else 0 for t in range(3)]
            for i in range(3)]  # fmt: skip
    cycles = [(0, 1), (0, 2), (1, 2), (0, 1, 2), (0, 2, 1)]
    lengths = {cycle: sum(arcs[i][t] for i, t in zip(cycle, cycle[1:] + cycle[:1], strict=True)) for cycle in cycles}
    cycle = min(lengths, key=lambda c: lengths[c])
    text = f"""Six points with the scores

{table(scores)}

lie in the clusters ${", ".join(map(str, spoilt))}$ (of points 0 to 5), and every cluster is to keep two points.
Compute the least
losses $w_{{it}}$ of moving a point from cluster $i$ to $t$. Is the clustering optimal? If not, give moves that
improve it, and
the gain."""
    walk = " to ".join(map(str, (*cycle, cycle[0])))
    solution = f"""The least losses are

{table(np.array(arcs), "from", "to")}

The cycle {walk} has the length {lengths[cycle]}, which is negative: moving the points that attain its arcs keeps all
sizes
and gains {-lengths[cycle]}. The clustering, of value {now}, is not optimal."""
    found = {"arcs": arcs, "gain": -lengths[cycle], "now": now}
    return Question("An exchange", 15, text, solution, {"scores": scores, "labels": spoilt}, found)


@in_pool
def price_of_a_bound(rng: np.random.Generator) -> Question:
    """What one point more in a cluster costs."""
    x = np.sort(rng.choice(np.setdiff1d(np.arange(-9, 10), [0]), 7, replace=False))  # none half way
    a, b = -6, 6
    loss = np.sort((x - b) ** 2 - (x - a) ** 2)[::-1]  # negative: nearer to b
    near = int((loss < 0).sum())
    asked = near + 2
    costs = np.sort(((x - b) ** 2 - (x - a) ** 2)[(x - b) ** 2 >= (x - a) ** 2])
    extra = [int(c) for c in costs[:2]]
    text = f"""The points {", ".join(map(str, x))} on a line go to the sites $a_0 = {a}$ and $a_1 = {b}$ so that the
sum of squares is
least. Without bounds, how many points go to site 1? What does it cost to ask for {asked} points there, and what is
the price
of that bound?"""
    solution = f"""{near} points are nearer to site 1. Moving a point from site 0 to site 1 costs $(x - a_1)^2 - (x -
a_0)^2$; the two
cheapest cost {extra[0]} and {extra[1]}, together {sum(extra)}. The sum of squares grows by {extra[1]} with the last
point asked for,
so $-{extra[1]}$ is a price of the lower bound {asked}: negative, since the bound is a lower one."""
    given = {"x": x, "sites": (a, b), "asked": asked}
    found = {"near": near, "cost": sum(extra), "last": extra[1]}
    return Question("The price of a bound", 10, text, solution, given, found)


@in_pool
def split_point(rng: np.random.Generator) -> Question:
    """Which point a vertex divides."""
    while True:
        weights, lead = rng.integers(1, 8, 5), rng.permutation(np.arange(-4, 5))[:5]
        total, order = int(weights.sum()), np.argsort(-lead)
        before = np.r_[0, weights[order].cumsum()]
        half = total / 2
        place = int(np.searchsorted(before, half) - 1)
        if 0 < half - before[place] < weights[order[place]]:
            break
    point, share = int(order[place]), float((half - before[place]) / weights[order[place]])
    text = f"""Five points have the weights {", ".join(map(str, weights))}, and cluster 0 scores them higher than
cluster 1 by
{", ".join(map(str, lead))} for each unit of weight. Both clusters are to weigh {half:g}. Find the optimal vertex.
Which point is
divided, and how? Why can it be no more than one?"""
    first = ", ".join(map(str, order[:place])) or "none"
    solution = f"""Fill cluster 0 in the order of what it gains: points {first} as a whole, then {share:.4g} of point
{point}, so that it
weighs {half:g}. A vertex has as many positive variables as there are linearly independent rows at most: $n + k - 1$
here.
Every point needs one, so at most $k - 1 = 1$ point has two."""
    given = {"weights": weights, "lead": lead}
    return Question("A divided point", 15, text, solution, given, {"point": point, "share": share, "half": half})


@in_pool
def two_objectives(rng: np.random.Generator) -> Question:
    """CSA and LSA at sites of different length."""
    while True:
        X, long = rng.integers(-2, 3, (3, 2)), int(rng.integers(2, 5))
        sites = np.array([[long, 0], [0, -1]])
        labellings = list(itertools.product((0, 1), repeat=3))
        csa = [int(sum(X[j] @ sites[i] for j, i in enumerate(y))) for y in labellings]
        lsa = [int(sum(((X[j] - sites[i]) ** 2).sum() for j, i in enumerate(y))) for y in labellings]
        if csa.count(max(csa)) == lsa.count(min(lsa)) == 1 and csa.index(max(csa)) != lsa.index(min(lsa)):
            break
    best = labellings[csa.index(max(csa))], labellings[lsa.index(min(lsa))]
    text = f"""Points $({X[0, 0]}, {X[0, 1]})$, $({X[1, 0]}, {X[1, 1]})$, $({X[2, 0]}, {X[2, 1]})$, sites $a_0 =
({long}, 0)$ and
$a_1 = (0, -1)$, no bounds. Give the best clustering for CSA and for LSA. Why do they differ? With which bounds would
they agree for any sites?"""
    solution = f"""CSA: labels {", ".join(map(str, best[0]))} with the value {max(csa)}. LSA: labels
{", ".join(map(str, best[1]))} with the
sum of squares {min(lsa)}. The sum of squares is a constant minus twice the CSA value plus $\\sum_i |C_i| |a_i|^2$,
and the sites
have different lengths. With fixed sizes the last sum is a constant."""
    given = {"X": X, "sites": sites}
    return Question("Two objectives", 15, text, solution, given, {"csa": max(csa), "lsa": min(lsa), "labels": best})


@in_pool
def one_step(rng: np.random.Generator) -> Question:
    """A step of norm maximisation."""
    while True:
        X = rng.integers(-4, 5, (4, 2))
        X[3] = -X[:3].sum(axis=0)
        start = (0, 0, 1, 1)
        s = X[:2].sum(axis=0)
        if not s.any() or abs(X[3]).max() > 6:
            continue
        gain = np.sort(X @ s)
        if gain[1] < gain[2] and set(np.argsort(-(X @ s))[:2]) != {0, 1}:
            break
    after = tuple(int(value < gain[2]) for value in X @ s)
    new = X[[j for j in range(4) if after[j] == 0]].sum(axis=0)
    before, later = 2 * float(np.hypot(*s)), 2 * float(np.hypot(*new))
    points = ", ".join(f"$({p}, {q})$" for p, q in X)
    text = f"""The points {points} sum to zero. They lie in the clusters {", ".join(map(str, start))}, two points
each. Compute the cluster
sums and $\\sum_i |s_i|$. Make one step of norm maximisation with these sizes, and compute it again."""
    solution = f"""$s_0 = ({s[0]}, {s[1]}) = -s_1$, so $\\sum_i |s_i|$ = {before:.4f}. The sites are the directions of
$s_0$ and $s_1$: cluster 0
gets the two points with the largest $s_0 \\cdot x$, which are {", ".join(map(str, X @ s))}. The clusters become
{", ".join(map(str, after))} with $s_0 = ({new[0]}, {new[1]})$ and $\\sum_i |s_i|$ = {later:.4f}, which is larger."""
    given = {"X": X, "labels": start}
    return Question("One step", 15, text, solution, given, {"before": before, "after": later, "labels": after})


@in_pool
def value_limits(rng: np.random.Generator) -> Question:
    """Limits of cluster values and an exact test."""
    values = np.sort(rng.choice(np.arange(10, 95, 5), 3, replace=False)) / 100
    n, ones = 20, int(rng.integers(2, 18))
    lower = 0.75 * values[1] + 0.25 * values[0]
    pvalue = sum(math.comb(n, c) * lower**c * (1 - lower) ** (n - c) for c in range(ones, n + 1))
    text = f"""Three clusters have the training values {", ".join(f"{v:g}" for v in values)}, and $\\lambda = 3/4$.
Which limits does the second
one have? Of {n} new rows in it, {ones} are positive. What is the exact p-value of "its true value is at most the
lower limit"?"""
    upper = 0.75 * values[1] + 0.25 * values[2]
    solution = f"""The lower limit is $\\lambda f_2 + (1 - \\lambda) f_1$ = {lower:.4f}, the upper one {upper:.4f}.
The p-value is the chance of
{ones} or more among {n} rows at the lower limit, $\\sum_{{c \\ge {ones}}} \\binom{{{n}}}{{c}} p^c (1 -
p)^{{{n} - c}}$ = {pvalue:.4f}."""
    given = {"values": values, "n": n, "ones": ones}
    return Question("Limits of a value", 10, text, solution, given, {"lower": lower, "upper": upper, "pvalue": pvalue})


def in_paragraphs(text: str) -> str:
    """The text with each paragraph on one line; tables stay as they are."""
    parts = (part if part.startswith("|") else " ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join(parts)


def sheet(seed: int = 0, chosen: list[int] | None = None) -> list[Question]:
    """The questions of a seed, all or those with the given numbers from 1 on."""
    drawn = [question(np.random.default_rng([seed, number])) for number, question in enumerate(POOL)]
    drawn = [replace(one, text=in_paragraphs(one.text), solution=in_paragraphs(one.solution)) for one in drawn]
    return drawn if chosen is None else [drawn[number - 1] for number in chosen]


def page(questions: list[Question]) -> str:
    """The questions with folded solutions, for the site."""
    parts = []
    for number, question in enumerate(questions, 1):
        parts.append(f"## {number}. {question.title} ({question.minutes} minutes)\n\n{question.text}\n")
        parts.append(f'<details markdown="1"><summary>Solution</summary>\n\n{question.solution}\n\n</details>\n')
    return "\n".join(parts)


def main() -> None:
    """Write a sheet, and with `--solutions` its solutions."""
    parser = argparse.ArgumentParser(description="Exam questions in Markdown, drawn from a seed.")
    parser.add_argument("--seed", type=int, default=0, help="other numbers for every seed")
    parser.add_argument("--questions", help=f"numbers from 1 to {len(POOL)}, such as 1,3,5; default all")
    parser.add_argument("--solutions", action="store_true", help="solutions in place of questions")
    options = parser.parse_args()
    chosen = [int(number) for number in options.questions.split(",")] if options.questions else None
    if chosen and not all(1 <= number <= len(POOL) for number in chosen):
        parser.error(f"--questions {options.questions}: there are questions 1 to {len(POOL)}")
    for number, question in enumerate(sheet(options.seed, chosen), 1):
        body = question.solution if options.solutions else question.text
        sys.stdout.write(f"## {number}. {question.title} ({question.minutes} minutes)\n\n{body}\n\n")


if __name__ == "__main__":
    main()
