"""A suggested number of clusters as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.record import Record
from ...cluster.suggest import ClusterSuggestion
from ...output.report import Picture, Report, Section, Table, record_of
from ...output.style import as_svg, legend_above, make_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def suggestion_report(name: str, rows: int, suggestion: ClusterSuggestion, settings: Record) -> Report:
    """The report of `partitope suggest-k`."""
    # columns in a reader's words; the record keeps the names of the data frame
    table = Table.of(
        suggestion.table.rename(columns=lambda column: column.removeprefix("n_").replace("_", " ")),
        "Every number of clusters",
        digits=3,
        notes=(
            "prediction strength: two random halves of the rows are clustered; of the pairs of rows that a cluster of "
            "one half, a fraction is in the same cell of the other half; the table has the smallest fraction of any "
            "cluster, as a mean over several random halves (Tibshirani and Walther 2005)",
            "inertia: sum of the squared distances of all rows to their centres",
        ),
    )
    # numbers of clusters that were asked for and are not in the table
    left_out = [f"{k} clusters were left out: {reason}." for k, reason in suggestion.left_out.items()]
    picture = Picture(
        lambda: suggestion_figure(suggestion),
        "Prediction strength: 1 where other rows give the same clusters.",
    )
    record = {
        "data": {"name": name, "rows": rows},
        **record_of(suggestion, "suggested threshold left_out"),
        "rows": suggestion.table.to_dict(orient="records"),
    }
    return Report(
        f"How many clusters in {name}?",
        f"{rows} rows, balanced k-means within the same bounds for every number of clusters.",
        [*left_out, suggestion.sentence],
        (Section("Numbers of clusters", "numbers", (), (picture,), (table,)),),
        settings,
        "suggested-clusters",
        record,
    )


@as_svg
def suggestion_figure(suggestion: ClusterSuggestion) -> Figure:
    """Prediction strength against the number of clusters."""
    figure, (ax,) = make_panels(1, 3.6, width=5.6)
    suggestion.plot(ax)
    legend_above(ax)
    return figure
