"""What a reader of the tables has to know, study by study: departures, and what we believe where a figure is missed."""

from __future__ import annotations

REMARKS: dict[str, tuple[str, ...]] = {
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
