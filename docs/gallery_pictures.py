"""# Gallery

Every picture is drawn by a function of the library that takes and returns matplotlib axes. Clusters differ by colour
*and* by marker, in colours that colour-blind readers can tell apart; the pictures stay readable in grey.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from selective_levels import draw as draw_selective_levels


def bounded_cells() -> Figure:
    """A bound moves the walls.

    Groups of 90, 40 and 20 points: without bounds, and with 45 to 55 points in every cluster. `Partition.plot`.
    """
    from partitope.explore.page import example_points
    from partitope.solvers import GeometricPartitioner

    X = example_points()
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
    for ax, lower, upper in [(axes[0], 0, 150), (axes[1], 45, 55)]:
        model = GeometricPartitioner(3, lower=lower, upper=upper, objective="lsa", n_init=5, random_state=0).fit(X)
        model.partition_.plot(X, ax=ax)
        ax.set_title(f"{lower} to {upper} points: sizes {model.partition_.sizes.astype(int).tolist()}", fontsize=10)
    return figure


def iteration_strip() -> Figure:
    """The steps of one run.

    One start stopped after one, two, three, ... steps. `plot_iterations`.
    """
    from partitope.explore.page import example_points
    from partitope.solvers import GeometricPartitioner, plot_iterations

    X = example_points()
    runs = [
        GeometricPartitioner(3, lower=45, upper=55, objective="lsa", init="random", random_state=1, max_iter=t).fit(X)
        for t in (1, 2, 3, 4)
    ]
    return plot_iterations([model.partition_ for model in runs], X)[0].figure


def polytope_and_walk() -> Figure:
    """A partition polytope, and a walk on it.

    All clusterings of ten points into two clusters of four to six points, by the sum of the first cluster; norm
    maximisation walks from the square to the star. `plot_polytope`.
    """
    from partitope.models import PartitionPolytope, plot_polytope
    from partitope.solvers import GeometricPartitioner

    X = np.random.default_rng(8).normal(size=(10, 2)) * [1.6, 1.0]
    X -= X.mean(axis=0)
    start = [[-0.1, 1.0], [0.1, -1.0]]
    walk = [
        GeometricPartitioner(2, lower=4, upper=6, init=start, max_iter=t).fit(X).partition_.labels for t in range(1, 8)
    ]
    figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
    plot_polytope(X, PartitionPolytope(10, 4, 6, n_clusters=2), ax, walk=walk)
    ax.set_aspect("equal")
    return figure


def projected_polytope() -> Figure:
    """A polytope of more dimensions, projected.

    Three clusters of seven points in the plane: six sums of which four are free, seen along the two directions in
    which the clusterings vary most. `plot_polytope`.
    """
    from partitope.models import PartitionPolytope, plot_polytope

    X = np.random.default_rng(3).normal(size=(7, 2))
    figure, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
    plot_polytope(X, PartitionPolytope(7, 2, 3, n_clusters=3), ax)
    ax.set_aspect("equal")
    return figure


def lifted_surfaces() -> Figure:
    """The lifted picture.

    Above a line, every site carries a paraboloid that its price lifts; the lower envelope owns the place. Dashed: at
    price zero. `plot_lifted`.
    """
    from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram, plot_lifted
    from partitope.solvers import solve

    x = np.sort(np.random.default_rng(2).normal(2.0, 1.5, 60))[:, None]
    sites = np.array([[0.5], [2.5], [5.0]])
    solution = solve(AssignmentModel.lsa(x, sites, PartitionPolytope(60, 18, 22, n_clusters=3)))
    figure, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
    diagram = PowerDiagram(sites, solution.prices, kind="lsa")
    plot_lifted(diagram, ax, start=[-2.0], end=[7.0], X=x, labels=solution.labels)
    ax.set_xlabel("distance along the line")
    return figure


def section_of_many_dimensions() -> Figure:
    """Cells in many dimensions.

    The section of thirteen-dimensional cells by the plane in which the points vary most; points are projected onto
    it. `PowerDiagram.plot`.
    """
    from sklearn.datasets import load_wine
    from sklearn.preprocessing import StandardScaler

    from partitope.solvers import GeometricPartitioner

    X = StandardScaler().fit_transform(load_wine().data)
    model = GeometricPartitioner(3, lower=45, upper=75, n_init=10, random_state=0).fit(X)
    figure, ax = plt.subplots(figsize=(6.5, 4.3), layout="constrained")
    model.partition_.power_diagram.plot(ax, X=X, labels=model.labels_, size=20)
    return figure


def price_of_balance() -> Figure:
    """The price of balance.

    The exact least cost for fixed sites as a function of the least cluster size, with all breakpoints. `bounds_path`.
    """
    from partitope.explore.page import example_points
    from partitope.solvers import bounds_path

    path = bounds_path(example_points(), [[2.2, 7.0], [7.5, 7.5], [6.0, 2.2]], vary="lower")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    axes[0].plot(path.parameter, path.value, color="#0072B2", marker="o", markersize=3)
    axes[1].step(path.parameter[:-1], path.slopes, where="post", color="#D55E00")
    axes[0].set_ylabel("sum of squares about the sites")
    axes[1].set_ylabel("cost of one point more in every cluster")
    for ax in axes:
        ax.set_xlabel("least size of every cluster")
    return figure


def cluster_values_tested() -> Figure:
    """Which cluster values are to be trusted.

    Training values, limits between neighbours, and values on held-out rows with intervals; stars mark small
    p-values. `ClusterValueTest.plot`.
    """
    from partitope.stats import cluster_value_test

    rng = np.random.default_rng(4)
    truth = np.array([0.08, 0.25, 0.3, 0.55, 0.9])
    labels, new = rng.integers(0, 5, 900), rng.integers(0, 5, 1500)
    y, y_new = (rng.random(len(part)) < truth[part] for part in (labels, new))
    figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
    cluster_value_test(labels, y.astype(int), new, y_new.astype(int), method="exact", adjust="holm").plot(ax)
    return figure


def selective_levels() -> Figure:
    """The level of a test on the rows that made the clusters.

    No clusters in the data, 2000 simulations a point (500 where the test is told that columns are alike): told
    nothing, the selective test keeps its 5 % whatever the covariance; told something wrong, it does not. Simulated by
    `docs/selective_levels.py` with `simulate_selective_test`.
    """
    return draw_selective_levels()


def anisotropic_cells() -> Figure:
    """Cells that are stretched as their clusters are.

    Three stretched groups, 50 to 70 points in every cluster: cells of squared distances have straight walls, cells of
    squared Mahalanobis distances are bounded by conic sections. `AnisotropicPartitioner`, `Partition.plot`.
    """
    from partitope.solvers import AnisotropicPartitioner, GeometricPartitioner

    rng = np.random.default_rng(6)
    groups = [((0, 0), (3.2, 0.5), 0.5), ((1.5, 3.2), (3.0, 0.45), 0.1), ((6.2, 1.2), (0.5, 2.0), 0.0)]
    X = []
    for centre, spread, angle in groups:
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        X.append((rng.normal(size=(60, 2)) * spread) @ turn + centre)
    points = np.vstack(X)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
    for ax, strategy in [
        (axes[0], GeometricPartitioner(3, objective="lsa", lower=50, upper=70, n_init=10, random_state=0)),
        (axes[1], AnisotropicPartitioner(3, lower=50, upper=70, n_init=10, random_state=0)),
    ]:
        partition = strategy.fit(points).partition_
        partition.plot(points, ax=ax)
        words = "Mahalanobis distances" if ax is axes[1] else "Euclidean distances"
        ax.set_title(f"{words}: sizes {partition.sizes.astype(int).tolist()}", fontsize=10)
    return figure


def two_balanced_quantities() -> Figure:
    """Territories with two balanced quantities.

    As many customers in every territory, and then as much revenue, too, each within 3 %; the area of a circle is the
    revenue of a customer. `GeometricPartitioner.fit(X, polytope=...)`.
    """
    from partitope.explore.page import example_points
    from partitope.models import PartitionPolytope
    from partitope.solvers import GeometricPartitioner

    X, k = example_points(), 3
    n, rng = len(X), np.random.default_rng(2)
    revenue = rng.gamma(1.5, 5.0, n) * (1.0 + 2.0 * (X[:, 1] > 5.5))
    weights = np.column_stack([np.ones(n), revenue])
    even = np.tile(weights.sum(axis=0) / k, (k, 1))
    both = PartitionPolytope(n, 0.97 * even, 1.03 * even, weights, names=["customers", "revenue"])
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    bars = []
    for ax, polytope in [(axes[0], PartitionPolytope(n, both.lower, both.upper)), (axes[1], both)]:
        model = GeometricPartitioner(k, objective="lsa", n_init=5, random_state=0).fit(X, polytope=polytope)
        for i, marker in enumerate("osv"):
            own = model.labels_ == i
            ax.scatter(*X[own].T, s=3 + 2 * revenue[own], marker=marker, color=f"C{i}", alpha=0.7, linewidths=0)
        bars.append(np.sort(np.bincount(model.labels_, revenue, k)))
    axes[0].set_title("customers", fontsize=10)
    axes[1].set_title("customers and revenue", fontsize=10)
    for shift, sums, name, grey in [
        (-0.2, bars[0], "customers", "0.75"),
        (0.2, bars[1], "customers and revenue", "0.3"),
    ]:
        axes[2].bar(np.arange(k) + shift, sums, width=0.38, color=grey, label=f"balanced: {name}")
    axes[2].axhline(even[0, 1], color="black", linewidth=1, linestyle=":")
    axes[2].set(xlabel="territory, by revenue", ylabel="revenue", xticks=range(k), ylim=(0, 1.35 * bars[0].max()))
    axes[2].legend(fontsize=8)
    return figure


def price_of_fairness() -> Figure:
    """The price of fairness.

    Three territories with as many customers and as much revenue: by how much the sum of squares grows when the share of
    a group must be nearly the same in all of them, and two of the answers. `named_bounds_path`.
    """
    from partitope.explore.page import example_points
    from partitope.models import AssignmentModel, PartitionPolytope
    from partitope.solvers import GeometricPartitioner, named_bounds_path

    X, rng, k = example_points(), np.random.default_rng(4), 3
    weights = np.column_stack([np.ones(len(X)), rng.gamma(2.0, 5.0, len(X))])
    group = X[:, 0] + rng.normal(size=len(X)) > np.median(X[:, 0])
    even = np.tile(weights.sum(axis=0) / k, (k, 1))
    balanced = PartitionPolytope(len(X), 0.95 * even, 1.05 * even, weights, names=["customers", "revenue"])
    run = GeometricPartitioner(k, objective="lsa", n_init=5, random_state=0).fit(X, polytope=balanced)
    equal = balanced.share(group, group.mean(), group.mean(), name="group")
    model = AssignmentModel.lsa(X, run.cluster_centers_, equal)
    path = named_bounds_path(model, "group", np.linspace(0.0, 0.6, 25))
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    for ax, place in [(axes[0], -1), (axes[1], 2)]:
        solution = path.solutions[place]
        assert solution is not None
        for i, marker in enumerate("osv"):
            own = solution.require_labels() == i
            ax.scatter(*X[own & ~group].T, s=14, marker=marker, facecolors="none", edgecolors=f"C{i}", linewidths=0.8)
            ax.scatter(*X[own & group].T, s=18, marker=marker, color=f"C{i}")
        ax.set_title(f"shares within {100 * path.slack[place]:.0f} points", fontsize=10)
    axes[2].plot(100 * path.slack, 100 * path.price / path.value[-1], marker="o", markersize=3)
    axes[2].set(xlabel="shares may differ by ... points", ylabel="sum of squares grows by ... %")
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    function.__name__: function
    for function in (
        bounded_cells,
        iteration_strip,
        polytope_and_walk,
        projected_polytope,
        lifted_surfaces,
        section_of_many_dimensions,
        anisotropic_cells,
        price_of_balance,
        two_balanced_quantities,
        price_of_fairness,
        cluster_values_tested,
        selective_levels,
    )
}
"""Pictures of the gallery, in order."""
