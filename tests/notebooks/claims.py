"""What the prose of the notebooks says, computed from their own data.

A claim is a sentence with ``{}`` where a computed number stands, and a function of the notebook's variables that
returns what belongs there. Claims without numbers assert in their function. `conftest` runs them in the kernel in
which the notebook and its solutions ran, and `test_notebook_claims` looks for the filled sentences in the prose. The
functions compute in their own way where that is short: by enumeration, by a program of scipy, by differences of two
optima.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

Notebook = Any
Claim = tuple[str, Callable[[Notebook], tuple]]
CLAIMS: dict[str, list[Claim]] = {}


def claim(number: str, sentence: str) -> Callable[[Callable[[Notebook], Any]], Callable]:
    """Say that the function computes what the sentence of this notebook says."""

    def keep(function: Callable[[Notebook], Any]) -> Callable:
        CLAIMS.setdefault(number, []).append((sentence, function))
        return function

    return keep


def computed(number: str, variables: dict[str, Any]) -> dict[str, str]:
    """The sentences of a notebook as its data say them; a claim that fails says how."""
    found, notebook = {}, SimpleNamespace(**variables)
    for sentence, function in CLAIMS[number]:
        try:
            values = function(notebook)
            values = () if values is None else values if isinstance(values, tuple) else (values,)
            found[sentence] = sentence.format(*values)
        except Exception as error:
            found[sentence] = f"{type(error).__name__}: {error}"
    return found


def thousands(number: float) -> str:
    """A whole number as the prose writes it."""
    return f"{round(number):,}".replace(",", " ")


def split_by_a_line(X: np.ndarray, y: np.ndarray) -> bool:
    """Whether a line with all points of one class at 1 or more and of the other at -1 or less exists."""
    side = np.where(y == 0, -1.0, 1.0)
    rows = np.column_stack([X, np.ones(len(X))]) * side[:, None]
    return linprog(np.zeros(3), A_ub=rows, b_ub=-np.ones(len(X)), bounds=(None, None)).status == 0


# 1 · What is a partition polytope?


@claim("01", "If the bounds are whole numbers, its vertices are exactly the clusterings within them.")
def _(nb):
    for most, whole in [(1, True), (1.5, False)]:  # unique optima, so they are vertices
        answer = linprog(nb.costs, A_eq=nb.A[:3], b_eq=np.ones(3), A_ub=nb.A[3:], b_ub=[most, 3 - most], bounds=(0, 1))
        assert np.allclose(answer.x, answer.x.round(), atol=1e-9) == whole


@claim("01", "every square submatrix has determinant $-1$, $0$ or $1$.")
def _(nb):
    assert nb.determinants(nb.A) == [-1, 0, 1]


@claim("01", "an odd cycle, a submatrix of determinant $\\pm {}$.")
def _(nb):
    columns = [0, 1, 2]  # xi_00, xi_10, xi_01: variable of point j and cluster i is column j k + i
    cycle = np.array([nb.A[0], nb.cap, nb.side])[:, columns]
    assert (cycle.sum(axis=1) == 2).all()
    return abs(round(np.linalg.det(cycle)))


@claim("01", "The linear program now has fractional vertices")
def _(nb):
    assert ((nb.answer.x > 0.1) & (nb.answer.x < 0.9)).any()
    assert np.allclose(nb.free.x, nb.free.x.round(), atol=1e-9)


@claim("01", "There are {}, or {} % of all labellings.")
def _(nb):
    return thousands(nb.bounded), round(100 * nb.bounded / 3**12)


@claim("01", "The matrix now has weights in the rows of the clusters and is no longer totally unimodular.")
def _(nb):
    assert nb.heavy.rows()[0].max() == 5  # a submatrix of order one


@claim("01", "A vertex may split at most $k - 1$ points, here one. It must split one")
def _(nb):
    assert len({point for point, _, _ in nb.solution.splits}) == 1


@claim(
    "01",
    "Of the {} clusterings {} can be separated by a line, but only {} of them are corners; the other {} are inside",
)
def _(nb):
    all_of_them = [np.array(y) for y in nb.nine.enumerate()]
    corners = set(ConvexHull([nb.X[y == 0].sum(axis=0) for y in all_of_them]).vertices)
    separable = {t for t, y in enumerate(all_of_them) if split_by_a_line(nb.X, y)}
    return len(all_of_them), len(separable), len(corners & separable), len(separable - corners)


@claim("01", "puts the even points into cluster 0 and the odd ones into cluster 1.")
def _(nb):
    place = nb.X[nb.inside == 0].sum(axis=0)
    hull = ConvexHull([nb.X[y == 0].sum(axis=0) for y in nb.nine.enumerate()])
    assert (hull.equations @ [*place, 1.0] < -1e-9).all()
    assert nb.inside.tolist() == [j % 2 for j in range(9)]


@claim("01", "Every corner is separable; not everything separable is a corner.")
def _(nb):
    assert nb.corners < nb.separable


# 2 · From the dual of a linear program to a power diagram


@claim("02", "Prices are zero while no bound is felt.")
def _(nb):
    assert (np.abs(nb.free.prices) < 1e-9).all()


@claim(
    "02",
    "cluster {} with its large group is *held down* at {} points (positive price: its paraboloid is lifted, its cell "
    "shrinks), and cluster {} is *held up* at {} (negative price). Cluster {} ends with {} points, between its bounds: "
    "its price is zero.",
)
def _(nb):
    sizes, mu = np.bincount(nb.bounded.labels), nb.bounded.prices
    (down,), (up,), (free,) = (np.flatnonzero(where) for where in (mu > 1e-9, mu < -1e-9, np.abs(mu) <= 1e-9))
    assert down == np.bincount(nb.free.labels).argmax()
    return down, sizes[down], up, sizes[up], free, sizes[free]


@claim("02", "If both are equal, both are optimal.")
def _(nb):
    assert nb.proof.verified
    assert abs(nb.bounded.cost - nb.lower_bound(nb.bounded.prices)) < 1e-9 * nb.bounded.cost


@claim("02", "The prices of a solver put some boundary exactly on a point.")
def _(nb):
    assert nb.tight.margin(nb.X, nb.bounded.labels).min() < 1e-9 < nb.wide.margin(nb.X, nb.bounded.labels).min()


@claim("02", "here the bound gets worse by {:.1f}.")
def _(nb):
    def dual(mu):
        scores = -((nb.X[:, None] - nb.sites) ** 2).sum(axis=2)
        return np.maximum(mu, 0).sum() * 42 + np.minimum(mu, 0).sum() * 38 + (scores - mu).max(axis=1).sum()

    return dual(nb.bounded.prices + 5) - dual(nb.bounded.prices)


@claim("02", "then others follow, which lose more.")
def _(nb):
    answers = [nb.solved(0, top) for top in nb.tops]
    loss = -np.diff([answer.objective for answer in answers])
    assert (np.diff(loss) >= -1e-9).all()  # concave in the bound
    slope = np.array([np.maximum(answer.prices, 0).sum() for answer in answers[1:-1]])
    assert ((loss[:-1] - 1e-9 <= slope) & (slope <= loss[1:] + 1e-9)).all()


# 3 · Cluster sums or least squares?


def best_of(nb, lam, score, polytope):
    """Labels of all best clusterings for the sites (1 + lam, 0) and (0, -1), by the objective as it is defined."""
    sites, values = np.array([[1 + lam, 0.0], [0.0, -1.0]]), {}
    for y in polytope.enumerate():
        points, own = nb.X, sites[np.asarray(y)]
        values[tuple(int(i) for i in y)] = (points * own).sum() if score == "csa" else -((points - own) ** 2).sum()
    return {y for y, value in values.items() if value > max(values.values()) - 1e-9}


@claim("03", "With $\\lambda = 0$ both sites have length one and both columns name the same {} clusterings.")
def _(nb):
    csa, lsa = (best_of(nb, 0.0, score, nb.polytope) for score in ("csa", "lsa"))
    assert csa == lsa
    return {2: "two"}[len(csa)]


@claim(
    "03",
    "the first site is three times as long as the second: CSA gives it points 0 and 2, LSA finds it too far from "
    "point 2, and exactly as far from point 0 as the other site.",
)
def _(nb):
    assert best_of(nb, 2.0, "csa", nb.polytope) == {(0, 1, 0)}
    assert best_of(nb, 2.0, "lsa", nb.polytope) == {(0, 1, 1), (1, 1, 1)}


@claim("03", "With $\\lambda = -0.5$ it is half as long, and point 2 goes the other way in both columns.")
def _(nb):
    assert best_of(nb, -0.5, "csa", nb.polytope) == {(0, 1, 1)}
    assert best_of(nb, -0.5, "lsa", nb.polytope) == {(0, 1, 0)}


@claim("03", "The best value {:.4g} of the first step becomes {:.4g} when the centres move: the sequence falls.")
def _(nb):
    def best(labels):
        centres = np.array([nb.Y[labels == i].mean(axis=0) for i in range(2)])
        return max(((nb.Y * centres[np.asarray(y)]).sum(), tuple(y)) for y in nb.two.enumerate())

    first, labels = best(np.array([0, 1, 1]))
    return first, best(np.array(labels))[0]


@claim("03", "With sites of length one the objective $\\sum_i |s_i|$ rises in every step until it stops.")
def _(nb):
    trace = nb.standard.history["objective"]
    assert len(trace) > 2
    assert (np.diff(trace) > 0).all()


@claim("03", "Only for $\\lambda = 0$, {} of {} values.")
def _(nb):
    lams = np.linspace(-0.9, 3, 79).round(2) + 0.0
    same = [lam for lam in lams if best_of(nb, lam, "csa", nb.polytope) & best_of(nb, lam, "lsa", nb.polytope)]
    assert same == [0.0] == nb.agree
    return len(same), len(lams)


@claim("03", "There both boundaries run through point 2. For any other length they pass it on different sides")
def _(nb):
    for lam in np.linspace(-0.9, 3, 79).round(2) + 0.0:
        a, b, x = np.array([1 + lam, 0.0]), np.array([0.0, -1.0]), nb.X[2]
        csa, lsa = (a - b) @ x, ((x - b) ** 2).sum() - ((x - a) ** 2).sum()
        assert csa * lsa < 0 if lam else csa == lsa == 0


@claim("03", "No: still for {} of {} values.")
def _(nb):
    loose, lams = nb.PartitionPolytope(3, 1, 2, n_clusters=2), np.linspace(-0.9, 3, 79).round(2) + 0.0
    return sum(bool(best_of(nb, lam, "csa", loose) & best_of(nb, lam, "lsa", loose)) for lam in lams), len(lams)


@claim("03", "Then both scores agree for any sites, here for {} of {} values.")
def _(nb):
    fixed, lams = nb.PartitionPolytope(3, [1, 2], [1, 2]), np.linspace(-0.9, 3, 79).round(2) + 0.0
    return sum(bool(best_of(nb, lam, "csa", fixed) & best_of(nb, lam, "lsa", fixed)) for lam in lams), len(lams)


@claim("03", "far from the origin all of them point to the right, and the best clustering is another one.")
def _(nb):
    def best(value, points, choose):
        return choose(nb.two.enumerate(), key=lambda y: value(points, y)).tolist()

    far = nb.Y + np.array([100, 0])
    assert all((far[np.asarray(y) == i].sum(axis=0)[0] > 0) for y in nb.two.enumerate() for i in range(2))
    assert best(nb.norms, nb.Y, max) not in (best(nb.norms, far, max), [1 - i for i in best(nb.norms, far, max)])
    assert best(nb.squares, nb.Y, min) == best(nb.squares, far, min)


# 4 · Norm maximisation


@claim("04", "Opposite corners are the same clustering with its two labels exchanged.")
def _(nb):
    sums = {tuple((nb.X[y == 0].sum(axis=0) + 0.0).round(9)) for y in nb.polytope.enumerate()}
    assert all(tuple((-np.array(s) + 0.0).round(9)) in sums for s in sums)


@claim("04", "gives a linear program whose solution is at least as good.")
def _(nb):
    assert all((np.diff([run.objective for run in runs]) >= -1e-12).all() for runs in nb.walks)


@claim("04", "Different starts end in different local optima.")
def _(nb):
    assert len({round(value, 4) for value in nb.ends}) > 1
    assert max(nb.ends) <= nb.best.bound.upper


@claim("04", "The walks end in {} different values, and the largest of them is the largest of all {} clusterings.")
def _(nb):
    values = [np.linalg.norm([nb.X[y == i].sum(axis=0) for i in (0, 1)], axis=1).sum() for y in nb.polytope.enumerate()]
    ends = {round(runs[-1].objective, 4) for runs in nb.walks}
    assert max(ends) == round(max(values), 4)
    return len(ends), len(values)


@claim(
    "04",
    "More clusterings are allowed, so it cannot fall. Here it stays: the best clustering of all has {} and {} points",
)
def _(nb):
    labels = np.array(list(nb.PartitionPolytope(10, n_clusters=2).enumerate()))
    values = np.linalg.norm(labels @ nb.X, axis=1)  # |s_0| = |s_1| for centred points
    assert np.isclose(2 * values.max(), nb.found)
    return tuple(sorted(np.bincount(labels[values.argmax()], minlength=2)))


# 5 · What a bound costs


def _optimum(nb, lower, upper=(120, 120, 120)):
    """V, the largest sum of scores, in this notebook's problem."""
    return nb.solve(nb.AssignmentModel.lsa(nb.X, nb.sites, nb.PartitionPolytope(120, lower, upper))).objective


@claim(
    "05",
    "one more point of room at an upper bound saves $\\mu_i \\ge 0$, one more point asked for at a lower bound costs "
    "$-\\mu_i \\ge 0$",
)
def _(nb):
    for lower, upper in [((36, 36, 36), (120, 120, 120)), ((0, 0, 0), (44, 44, 44))]:
        model = nb.AssignmentModel.lsa(nb.X, nb.sites, nb.PartitionPolytope(120, lower, upper))
        here = nb.solve(model)
        for i, mu in enumerate(here.prices):
            step = np.eye(3)[i]
            for name, slope in [("lower", min(mu, 0.0)), ("upper", max(mu, 0.0))]:
                at = {"lower": np.array(lower, float), "upper": np.minimum(upper, 120.0)}
                more, less = ({**at, name: at[name] + sign * step} for sign in (1, -1))
                if more["upper"].max() <= 120:
                    assert _optimum(nb, **more) - here.objective <= slope + 1e-9
                if less["lower"].min() >= 0:
                    assert _optimum(nb, **less) - here.objective <= -slope + 1e-9
        assert (np.abs(here.prices) > 1).any()


@claim("05", "so its slopes are positive: with a common lower bound, each is the sum of all $\\mu_i^-$.")
def _(nb):
    assert (nb.path.slopes >= -1e-9).all()
    for bound in (22, 32, 38):  # the slopes to the left and to the right of a bound enclose the prices there
        model = nb.AssignmentModel.lsa(nb.X, nb.sites, nb.PartitionPolytope(120, bound, 120, n_clusters=3))
        price = np.maximum(-nb.solve(model).prices, 0).sum()
        at = np.flatnonzero(nb.path.parameter == bound)[0]
        assert nb.path.slopes[at - 1] - 1e-9 <= price <= nb.path.slopes[at] + 1e-9


@claim(
    "05",
    "positive where a bound is tightened, negative where it is loosened. The prices of the solver are between the "
    "sides.",
)
def _(nb):
    table = nb.sensitivity(nb.tight).table
    tightened = (table.bound == "lower") == (table.side == "raise")
    assert (table.derivative[tightened] >= 0).all()
    assert (table.derivative[~tightened] <= 0).all()
    lower = table[table.bound == "lower"].pivot(index="cluster", columns="side", values="derivative")
    mu = nb.tight.prices
    assert ((-lower["raise"] - 1e-9 <= mu) & (mu <= lower["reduce"] + 1e-9)).all()


@claim(
    "05",
    "The lower bound of cluster {} costs most: one point more in it costs {:.3f} units of the sum of squares, "
    "one point less would save {:.3f}. The lower bound of cluster {} follows; cluster {} is free.",
)
def _(nb):
    here = _optimum(nb, (36, 36, 36))
    more, less = ([here - _optimum(nb, 36 + sign * np.eye(3)[i]) for i in range(3)] for sign in (1, -1))
    free, second, first = np.argsort(more)
    assert abs(more[free]) < 1e-9
    return first, more[first], -less[first], second, free


@claim("05", "At {}, the size of the largest cluster without bounds.")
def _(nb):
    nearest = ((nb.X[:, None] - nb.sites) ** 2).sum(axis=2).argmin(axis=1)
    assert nb.upper.free_until == np.bincount(nearest).max()
    return int(nb.upper.free_until)


@claim("05", "the optimum costs at most that.")
def _(nb):
    assert (np.diff(nb.path.slopes) >= -1e-9).all()


# 6 · From a partition to a classifier


@claim("06", "table becomes points in the unit cube.")
def _(nb):
    encoded = nb.encoder.transform(nb.train)
    assert encoded.min() >= 0
    assert encoded.max() <= 1


@claim(
    "06",
    "This encoding looks at the class, and so do the weights of the columns below; the clustering itself does not.",
)
def _(nb):
    order = np.random.default_rng(0).permutation(nb.y_train)
    flipped = nb.ConditionalMeanEncoder().fit(nb.train, order)
    assert not np.allclose(flipped.transform(nb.test), nb.encoder.transform(nb.test))


@claim(
    "06", "The classifier is right in {:.1f} % of the new rows. Who knew the chance of every row could expect {:.1f} %"
)
def _(nb):
    right = (nb.model.predict_proba(nb.test)[:, 1] >= 0.5) == nb.y_test
    best = np.where(nb.chance[-len(nb.test) :] > 0.5, nb.chance[-len(nb.test) :], 1 - nb.chance[-len(nb.test) :])
    return 100 * right.mean(), 100 * best.mean()


@claim("06", "With three starts on this table the AUC is {:.4f} with the best and {:.4f} with the mean.")
def _(nb):
    from sklearn.metrics import roc_auc_score

    return tuple(
        roc_auc_score(nb.y_test, nb.model.predict_proba(nb.test, aggregate=way)[:, 1]) for way in ("max", "mean")
    )


@claim("06", '"No" is right for {:.1f} % of the test rows; the classifier is better by {:.1f} percentage points.')
def _(nb):
    right = nb.model.predict_proba(nb.test)[:, 1] >= 0.5
    return 100 * np.mean(~nb.y_test), 100 * (np.mean(right == nb.y_test) - np.mean(~nb.y_test))


@claim(
    "06",
    "the AUC of the mean of all columns is {:.4f} when the encoding is learnt on the training rows and {:.4f} when it "
    "has seen the test rows",
)
def _(nb):
    return nb.gains["honest"], nb.gains["leaky"]


# 7 · Is the value of a cluster to be trusted?


@claim("07", "In training, {:.0f} % of the rows of a cluster are positive.")
def _(nb):
    shares = np.bincount(nb.own, nb.y_train) / np.bincount(nb.own)
    return 100 * shares[np.abs(shares - 0.5).argmin()]  # the most undecided one


@claim("07", "with $\\lambda = {}$ unless another is asked for")
def _(nb):
    import inspect

    return {0.75: "3/4"}[inspect.signature(nb.cluster_value_test).parameters["lam"].default]


@claim(
    "07",
    "Of the {} hypotheses at most {} can be true, one per cluster, since a share cannot be below the lower limit and "
    "above the upper one. The rows of different clusters are independent. So {} tests at 5 % reject some true "
    "hypothesis by luck in up to {:.0f} % of all cases",
)
def _(nb):
    table = nb.outcome.table
    assert (table.lower_limit < table.upper_limit).all()
    return 2 * len(table), len(table), 2 * len(table), 100 * (1 - 0.95 ** len(table))


@claim(
    "07",
    "Of the {} clusters {} have a true share between their limits, and the test rows confirm {} of these and no other",
)
def _(nb):
    cells, confirmed = nb.outcome.table["cluster"].to_numpy(), nb.outcome.significant(0.05).all(axis=1)
    truth = np.array([nb.chance[-len(nb.new) :][nb.new == cell].mean() for cell in cells])
    inside = (nb.outcome.table.lower_limit < truth) & (truth < nb.outcome.table.upper_limit)
    assert inside[confirmed].all()
    return len(cells), inside.sum(), confirmed.sum()


@claim("07", "The training rows confirm {} clusters and the new rows {}, so nothing seems wrong.")
def _(nb):
    both = [
        nb.cluster_value_test(nb.own, nb.y_train, at, y, method="exact", adjust="holm")
        .significant(0.05)
        .all(axis=1)
        .sum()
        for at, y in [(nb.own, nb.y_train.copy()), (nb.new, nb.y_test)]
    ]
    return tuple(both)


@claim(
    "07",
    "make shares from {:.0f} % to {:.0f} % out of nothing, where every true share is {:.0f} %. New rows tell: the "
    "cluster with the largest share in training has {:.0f} % there.",
)
def _(nb):
    at, new = nb.cells
    largest = max(range(6), key=lambda i: nb.luck[at == i].mean())
    shares = [nb.luck[at == i].mean() for i in range(6)]
    ends = 100 * min(shares), 100 * max(shares)
    return *ends, 100 * nb.y_train.mean(), 100 * nb.new_luck[new == largest].mean()


@claim("07", "For $\\lambda = {}$. A large $\\lambda$ puts the limits close to $f_i$")
def _(nb):
    assert nb.counts[0.5] > nb.counts[0.75] > nb.counts[0.9]
    return max(nb.counts, key=nb.counts.get)


@claim("07", "From {} to {}, if the training values are the true shares. The whole test set has {} rows")
def _(nb):
    needed = nb.needed.table.n_both
    return thousands(needed.min()), thousands(needed.max()), thousands(len(nb.y_test))


@claim("07", "How many clusters are still confirmed? <details><summary>Solution</summary> {}.")
def _(nb):
    return {0: "None"}[int(nb.small.significant(0.05).all(axis=1).sum())]


# 8 · State your own program


def _with_share(nb, slack):
    """Smallest sum of squares at the centres with shares within the slack, by HiGHS on the whole program."""
    share = nb.rural.mean()
    polytope = nb.balanced.share(nb.rural, max(share - slack, 0.0), min(share + slack, 1.0))
    solution = nb.solve(nb.AssignmentModel.lsa(nb.X, nb.centres, polytope), "highs")
    return ((nb.X - nb.X.mean(axis=0)) ** 2).sum() - solution.objective + _offset(nb)


def _offset(nb):
    """What the sums of squares differ from minus the scores, beyond the squares about the mean."""
    model = nb.AssignmentModel.lsa(nb.X, nb.centres, nb.balanced)
    labels = np.zeros(len(nb.X), dtype=int)
    squares = ((nb.X - nb.centres[0]) ** 2).sum()
    return squares + model.value(labels) - ((nb.X - nb.X.mean(axis=0)) ** 2).sum()


@claim("08", "Balance alone leaves territories with hardly any of them; the share makes every territory mixed, and the sum "
       "of squares more than twice as large.")  # fmt: skip
def _(nb):
    found = {}
    for name, model in nb.runs.items():
        parts = [nb.rural[model.labels_ == i].mean() for i in range(nb.k)]
        found[name] = min(parts), model.partition_.objective
    assert found["balanced"][0] < 0.1 < 0.25 < found["balanced and fair"][0]
    assert found["balanced and fair"][1] > 2 * found["balanced"][1]


@claim("08", "An optimal vertex of the linear program divides at most as many customers as there are bounds on "
       "territories.")  # fmt: skip
def _(nb):
    assert 0 < len({point for point, _, _ in nb.solution.splits}) <= 3 * nb.k
    assert not nb.fair_partition.splits


@claim(
    "08", "The curve falls and is flat in the end: once the share may differ by {} points it costs nothing any more."
)
def _(nb):
    assert (np.diff(nb.path.value) <= 1e-9 * nb.path.value[0]).all()
    labels = nb.solve(nb.AssignmentModel.lsa(nb.X, nb.centres, nb.balanced), "highs").labels
    apart = max(abs(nb.rural[labels == i].mean() - nb.rural.mean()) for i in range(nb.k))
    price = nb.path.price / nb.path.value[-1]
    assert (price[nb.path.slack > apart + 0.005] < 1e-9).all()
    assert (price[nb.path.slack < apart - 0.005] > 1e-4).all()
    return round(100 * apart)


@claim("08", "the first five points of tolerance cost most: with an equal share the sum of squares is {:.2f} times "
       "that of the balanced territories, with a share within five points {:.2f} times.")  # fmt: skip
def _(nb):
    drops = -np.diff(nb.path.value[::2])
    assert drops.argmax() == 0
    equal, five, free = (_with_share(nb, slack) for slack in (0.0, 0.05, 1.0))
    return equal / free, five / free


@claim("08", "All others are in the cell of their territory.")
def _(nb):
    assert 0 < nb.elsewhere.size <= 3 * nb.k


@claim("08", "Fixing a point narrows the polytope, so it never gains.")
def _(nb):
    assert nb.extra >= -1e-9 * nb.solution.objective


@claim(
    "08", "There is, and it is certified. A mask that left a customer without any territory would be refused by name."
)
def _(nb):
    assert nb.nearby.verify().verified
    try:
        nb.fair.allow(nb.distance <= 0.01)
    except ValueError as error:
        assert "allowed in no cluster" in str(error)
    else:
        raise AssertionError("no refusal")


@claim("08", "the two values agree up to rounding.")
def _(nb):
    assert nb.certificate.verified


# 9 · The dual and the norm program, for any solver


@claim(
    "09",
    "Three solutions, one value. The prices of the two solvers differ, and both diagrams induce the same clustering",
)
def _(nb):
    squares = ((nb.X[:, None] - nb.sites) ** 2).sum(axis=2)
    value = ((nb.X**2).sum(axis=1) - squares[np.arange(45), nb.labels]).sum()
    assert np.allclose([nb.highs[0], nb.clarabel[0]], value)
    prices = [diagram.prices for diagram in nb.diagrams.values()]
    assert not np.allclose(*prices, atol=0.01)
    for mu in prices:
        paid = squares + mu
        assert np.allclose(paid[np.arange(45), nb.labels], paid.min(axis=1))


@claim("09", "no vertex is outside the orange octagon")
def _(nb):
    sums = np.array([nb.points[np.array(y) == 0].sum(axis=0) for y in nb.polytope.enumerate()])
    assert np.isclose((sums @ nb.directions.T).max(), nb.value / 2)


@claim("09", "never shorter than $|s| \\cos (\\pi / 8)$")
def _(nb):
    angles = np.linspace(0, 2 * np.pi, 1001)
    measured = (np.column_stack([np.cos(angles), np.sin(angles)]) @ nb.directions.T).max(axis=1)
    assert np.cos(np.pi / 8) - 1e-12 <= measured.min() <= measured.max() <= 1 + 1e-12
