"""What a reader of the tables has to know, study by study: departures, and what we believe where a figure is missed."""

from __future__ import annotations

REMARKS: dict[str, tuple[str, ...]] = {
    "pkm": (
        "Glass holds its Id, as in the paper: rows are sorted by class, so that the Id gives the class away. The rows "
        "'glass without Id' are the honest ones; nothing is printed for them.",
        "LMT and NBT have no maintained Python library: logistic regression and a classification tree stand in "
        "their place, and are other methods.",
        "The intervals allow for training sets that overlap; the printed standard deviations are over 100 folds.",
    ),
    "kcc": (
        "Simu1 to Simu3 are drawn again from the distributions of the paper: a figure of 1 there is met by chance of "
        "the draw, not by the method.",
        "CCIB, COALA, ADFT, RPCA, RegGB and MNMF of Table 2 are not computed: no maintained library offers them.",
        "KDAC's penalty cannot be chosen without the truth; its row uses this package's default, and the sweep shows "
        "how much the choice decides.",
    ),
    "kcssl": (
        "Label propagation and spreading run on graphs of the 7 nearest neighbours, self-training on logistic "
        "regression; the paper states no settings, and its figures for propagation are those of guessing.",
    ),
}
