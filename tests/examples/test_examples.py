"""Examples that are run from a clone."""

from __future__ import annotations

import numpy as np
import pytest

from examples import school_classes, town
from examples.grain_maps import drawn_map, fit_diagram
from examples.vector_codes import ResidualQuantizer, searched, vectors
from partitope.cluster import BalancedKMeans


def test_a_grain_map_keeps_its_sizes_and_its_diagram_gives_the_image():
    grains = 7 * drawn_map((40, 30), 8) + 3
    grains[:5] = -1
    stretched, round_ones = (fit_diagram(grains, background=-1, isotropic=isotropic) for isotropic in (False, True))
    for found in (stretched, round_ones):
        assert found.solution.verify().verified
        assert np.array_equal(np.unique(found.image, return_counts=True), np.unique(grains, return_counts=True))
        assert found.explained == (found.image == grains)[5:].mean()
        assert (found.names[found.diagram.predict(found.pixels)] == found.image[5:].ravel()).mean() > 0.99
    assert stretched.explained > round_ones.explained
    halved = fit_diagram(grains, background=-1, spacing=(0.5, 0.5))
    np.testing.assert_allclose(halved.sites, 0.5 * stretched.sites)
    with pytest.raises(ValueError, match="integers"):
        fit_diagram(np.zeros((3, 3)))


@pytest.mark.full
def test_the_town_of_the_demo_is_divided_fairly(tmp_path, capsys):
    assert town.main(tmp_path) == 0
    said = capsys.readouterr().out
    assert "Kept by every shop: yes." in said
    assert "no other assignment" in said
    assert (tmp_path / "town.html").read_text(encoding="utf-8").count("<figure>") >= 2


def test_codes_are_used_equally_often_and_stand_for_their_vectors():
    X = vectors(403, 0, d=6)
    model = ResidualQuantizer(3, 10, random_state=0).fit(X)
    for level, codes in enumerate(model.codes_.T):
        assert set(np.bincount(codes, minlength=10)) == {40, 41}
        error = ((X.astype(np.float64) - model.decode(model.codes_[:, : level + 1])) ** 2).sum(axis=1).mean()
        assert model.errors_[level] == pytest.approx(error, rel=1e-4)
    assert (np.diff(model.errors_) < 0).all()
    assert (model.encode(X) == model.codes_).mean() > 0.99  # residuals on walls may round to the other side


def test_all_lists_hold_all_neighbours():
    X = vectors(300, 0, d=6)
    lists = BalancedKMeans(6, balance=0, random_state=0).fit(X)
    recall, scanned = searched(lists, X, vectors(20, 1, d=6), 6)
    assert recall == 1.0
    assert (scanned == 300).all()
    assert set(searched(lists, X, vectors(20, 1, d=6), 1)[1]) == {50}


def test_school_classes_are_even_and_alike():
    partition = school_classes.classes()
    labels = partition.labels
    assert sorted(partition.sizes) == [25, 25, 25, 26]
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert labels[4] != labels[5]
    assert partition.objective < 1e-4
