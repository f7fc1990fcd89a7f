"""The study of clustering aware classification: printed figures, sets, methods, intervals, EC3."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from studies import cac, cac_intervals, cac_learners, cac_tables, ec3
from studies.catalogue import STUDIES
from studies.printed import cac as published_cac


def test_printed_figures_are_typed_once_and_are_shares():
    printed = (published_cac.FOLDS, published_cac.HELD_OUT, published_cac.FIVE_TIMES, published_cac.FIRST)
    for figures in printed:
        keys = [(f.table, f.data, f.method, f.metric) for f in figures]
        assert len(keys) == len(set(keys))
        assert all(0.0 <= f.value <= 1.0 and (f.sd is None or 0.0 <= f.sd < 0.3) for f in figures)
    assert [len(figures) for figures in printed] == [27 * 5, 27 * 5, 27 * 5, 2 * 5 * 7]
    single, five = ({(f.data, f.method): f.value for f in figures} for figures in printed[1:3])
    same = np.mean([abs(single[key] - five[key]) < 0.0015 for key in five])
    assert 0.5 < same < 0.9  # the same rows: differences are those of methods with a seed
    assert set(published_cac.ALPHAS) == set(cac_learners.CLASSIFIERS)
    assert all(0.01 <= a <= 3 for alphas in published_cac.ALPHAS.values() for a in alphas.values())


def test_interval_of_f1_covers():
    rng = np.random.default_rng(0)
    truth_rate, hit_rate, false_rate, n = 0.3, 0.6, 0.1, 800
    expected = 2 * truth_rate * hit_rate / (truth_rate + truth_rate * hit_rate + (1 - truth_rate) * false_rate)
    covered = 0
    for _ in range(400):
        y = rng.random(n) < truth_rate
        said = rng.random(n) < np.where(y, hit_rate, false_rate)
        value, low, high = cac_intervals.f1_interval(int((y & said).sum()), int((y | said).sum()))
        assert value == pytest.approx(2 * (y & said).sum() / (y.sum() + said.sum()))
        covered += low <= expected <= high
    assert 0.92 <= covered / 400 <= 0.98
    assert cac_intervals.f1_interval(0, 0) == (0.0, 0.0, 1.0)


def test_interval_over_seeds_is_that_of_the_last_digit_when_seeds_agree_and_wider_when_they_do_not():
    assert cac_intervals.starts_interval(0.7, 0.0, 0.0, 5, 5) == pytest.approx((0.7, 0.6995, 0.7005))
    _, low, high = cac_intervals.starts_interval(0.7, 0.03, 0.04, 5, 5)
    assert (high - low) / 2 == pytest.approx(2.7764451051977987 * 0.05 / np.sqrt(5) + 0.0005)
    assert cac_intervals.f1_interval(0, 0) == (0.0, 0.0, 1.0)


def test_alpha_is_chosen_on_the_training_rows(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), np.tile([0, 1], 60)
    X[:, 0] += y
    seen = []
    original = cac_learners.with_alpha
    monkeypatch.setattr(cac_learners, "with_alpha", lambda *given: seen.append(given[2]) or original(*given))
    models = cac_learners.shallow("LR", 2, 0, printed_alpha=0.3)
    score = cac._score("CAC+LR", models["CAC+LR"], X[:80], y[:80], X[80:], y[80:], 0)["CAC+LR"]
    assert score["alpha"] in cac_learners.ALPHAS
    np.testing.assert_array_equal(seen[0], y[:80])
    seen.clear()
    name = "CAC+LR, printed alpha"
    assert cac._score(name, models[name], X[:80], y[:80], X[80:], y[80:], 0)[name]["alpha"] == 0.3
    assert not seen


def test_only_the_local_logistic_regressions_of_the_papers_weight_classes():
    models = cac_learners.shallow("LR", 2, 0)
    weights = {name: getattr(model, "estimator", model).class_weight for name, model in models.items()}
    assert {name for name, weight in weights.items() if weight} == {"KM+LR", "CAC+LR", "LR balanced"}
    assert set(cac_learners.shallow("KNN", 2, 0)) == {"KNN", "KM+KNN", "CAC+KNN"}
    assert cac_learners.classifier("SGD", 0).loss == "log_loss"


def test_neighbours_are_five_or_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    ours, theirs = cac_learners.Neighbours(5).fit(X, y), KNeighborsClassifier(5).fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    few = cac_learners.Neighbours(5).fit(X[:2], np.array([0, 1]))
    np.testing.assert_array_equal(few.predict_proba(X), np.full((40, 2), 0.5))


def test_each_design_splits_rows_and_theirs_does_not_move_with_the_seed():
    y = np.tile([0, 0, 1], 200)
    for design in ("folds", "held out", "their quarter"):
        splits = cac._splits(design, y, 3)
        assert len(splits) == (5 if design == "folds" else 1)
        for train, test in splits:
            assert not set(train) & set(test)
            assert len(train) + len(test) == 600
    one, other = (cac._splits("their quarter", y, seed)[0][1] for seed in (0, 4))
    np.testing.assert_array_equal(one, other)
    assert set(one) != set(cac._splits("held out", y, 0)[0][1])


def test_encoding_is_learnt_on_the_training_rows():
    frame = pd.DataFrame({"n": [1.0, 2.0, 3.0, np.nan], "t": ["a", "b", None, "a"], "code": [1, 2, 1, 1]})
    table = cac_tables.as_numbers_and_texts(frame, ("code",))
    assert list(table["t"]) == ["a", "b", "missing", "a"]
    code = cac_tables.encoding(table)
    A = code(table)
    assert A.shape == (4, 1 + 3 + 2)
    np.testing.assert_allclose(A[:, 0].mean(), 0.0, atol=1e-12)
    assert A[3, 0] == pytest.approx(A[1, 0])  # a missing number is the median of the training rows
    new = cac_tables.as_numbers_and_texts(pd.DataFrame({"n": [100.0], "t": ["never seen"], "code": [2]}), ("code",))
    assert code(new)[0, 1:].tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert code(new)[0, 0] > 50
    X = np.random.default_rng(0).normal(3.0, 2.0, size=(50, 2))
    np.testing.assert_allclose(cac_tables.encoding(X)(X).std(axis=0), 1.0)


def test_diagnoses_fall_into_their_groups():
    codes = {
        "250.83": "diabetes", "428": "circulatory", "786": "respiratory", "V57": "other", "174": "neoplasms",
        "820": "injury", "715": "musculoskeletal", "599": "genitourinary", "276": "other", "787": "digestive",
    }  # fmt: skip
    assert {code: cac_tables.diagnosis_group(code) for code in codes} == codes
    table = cac_tables.as_numbers_and_texts(pd.DataFrame({"diag_1": ["428", None, "V57"]}))
    assert list(table["diag_1"]) == ["circulatory", "missing", "other"]


def _instance(rng, n=30, n_classes=3):
    truth = rng.integers(0, n_classes, n)
    votes = np.where(rng.random((n, 4)) < 0.7, truth[:, None], rng.integers(0, n_classes, (n, 4)))
    return ec3.ec3_problem(votes, [rng.integers(0, 4, n), rng.integers(-1, 3, n)], n_classes)


def _system(problem):
    """Hessian, for one class, and right side of the quadratic f, from its terms pair by pair."""
    alpha, beta, gamma, delta = problem.weights
    n, g = problem.A.shape
    K = problem.V @ problem.V.T
    H = np.zeros((n + g, n + g))

    def square(i, j, weight):  # weight |z_i - z_j|^2
        H[i, i] += 2 * weight
        H[j, j] += 2 * weight
        H[i, j] -= 2 * weight
        H[j, i] -= 2 * weight

    for i in range(n):
        for j in range(g):
            square(i, n + j, alpha / 2 * problem.A[i, j])
        for j in range(n):
            if i != j:
                square(i, j, beta / 2 * K[i, j])
    pull = np.r_[np.full(n, 2 * gamma), np.full(g, 2 * delta)]
    return H + np.diag(pull), pull[:, None] * np.vstack([problem.Y, problem.Z])


@pytest.mark.parametrize("seed", range(5))
def test_ec3_is_the_minimum_of_a_convex_function(seed):
    rng = np.random.default_rng(seed)
    problem = _instance(rng)
    H, right = _system(problem)
    assert np.linalg.eigvalsh(H).min() >= 2 * min(problem.weights[2:]) - 1e-9
    found = ec3.solve_ec3(problem)
    np.testing.assert_allclose(np.vstack([found.objects, found.groups]), np.linalg.solve(H, right), atol=1e-8)
    assert all(b <= a + 1e-10 for a, b in zip(found.history, found.history[1:]))
    for part, size in ((found.objects, 30), (found.groups, problem.A.shape[1])):
        assert part.shape == (size, 3)
        assert part.min() >= -1e-12
        np.testing.assert_allclose(part.sum(axis=1), 1.0, atol=1e-9)


def test_ec3_follows_agreeing_classifiers_and_lets_a_cluster_decide_ties():
    votes = np.repeat([[0], [1]], 20, axis=0) * np.ones(3, dtype=int)
    found = ec3.solve_ec3(ec3.ec3_problem(votes, [votes[:, 0]], 2))
    np.testing.assert_allclose(found.objects[:, 1], votes[:, 0], atol=1e-9)
    split = votes[:, :2].copy()
    split[0] = [0, 1]  # one vote each; its cluster is that of class 0
    found = ec3.solve_ec3(ec3.ec3_problem(split, [votes[:, 0]], 2))
    assert found.objects[0].argmax() == 0
    split[39] = [0, 1]
    assert ec3.solve_ec3(ec3.ec3_problem(split, [votes[:, 0]], 2)).objects[39].argmax() == 1


def test_ec3_gives_rare_classes_their_share():
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.1).astype(int)
    X = rng.normal(size=(400, 2)) + 1.2 * y[:, None]
    found = cac._score("EC3", ec3.EC3(0), X[:250], y[:250], X[250:], y[250:], 0)
    assert found["EC3"]["F1"] > found["EC3, largest share"]["F1"]
    assert found["EC3"]["AUC"] == found["EC3, largest share"]["AUC"] > 0.7
    F = np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4]])
    assert ec3.decide(F).tolist() == [0, 0, 1]


@pytest.mark.data
def test_raw_sets_have_the_sizes_of_the_papers(data_home):
    sizes = {"titanic raw": (1309, 0.618), "titanic2201": (2201, 0.677), "adult raw": (45222, 0.752),
             "credit raw": (30000, 0.779), "diabetes raw": (101766, 0.539)}  # fmt: skip
    for name, (n, majority) in sizes.items():
        X, y = cac_tables.load_rows(name)
        assert (len(X), len(y)) == (n, n)
        assert 1 - y.mean() == pytest.approx(majority, abs=0.001)
        assert all(X[column].dtype.kind in "fO" for column in X)
    X, _ = cac_tables.load_rows("diabetes raw")
    assert list(X.columns) == list(cac_tables.NINE)
    assert X["diag_1"].value_counts(normalize=True)["circulatory"] == pytest.approx(0.3, abs=0.01)


@pytest.mark.data
def test_titanic_is_the_published_parts_and_quarter(data_home, tmp_path, monkeypatch):
    monkeypatch.setattr(cac_learners, "ALPHAS", (0.0, 0.8))
    monkeypatch.setattr(cac, "N_SEEDS", 2)
    frame = STUDIES["cac"].run(sets=["titanic"], classifiers=["LR"], deep=(), cache=tmp_path)
    ours = frame[(frame["table"] == "CAC 2") & (frame["method"] == "LR")].iloc[0]
    assert (ours["ours"], ours["paper"]) == (pytest.approx(0.903, abs=0.0015), 0.903)
    folds = frame[(frame["table"] == "Polarize 4") & (frame["method"] == "LR")].iloc[0]
    assert folds["ours"] == pytest.approx(0.804, abs=0.01)
    quarter = frame[(frame["table"] == "Polarize 5") & frame["ours"].notna()].set_index("method")
    assert set(quarter.index) == {"LR", "KM+LR", "CAC+LR", "CAC+LR, printed alpha"}
    exact = quarter.drop(index="CAC+LR")  # the others have nothing of ours to choose
    np.testing.assert_allclose(exact["ours"], exact["paper"], atol=0.0006)
    assert set(quarter["verdict"]) == {"met"}
    assert len(list(tmp_path.glob("*.json"))) == 3 + cac.N_SEEDS
    absent = frame[frame["verdict"] == "not run"]
    assert set(absent["method"]) == set(cac_learners.DEEP)
