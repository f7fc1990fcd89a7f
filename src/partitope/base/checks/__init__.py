"""Checks of arguments, each written once: what does not fit is refused in one line that says what to pass instead."""

from ..moved import former_names
from .arrays import (
    as_array,
    as_entries,
    as_floats,
    covariance_matrix,
    distinct,
    finite_numbers,
    finite_rows,
    finite_vector,
    listed,
    same_length,
)
from .labels import (
    checked_labels,
    class_codes,
    class_target,
    cluster_numbers,
    require_target,
    zero_one,
)
from .values import (
    as_number,
    as_path,
    check_clusters,
    check_exact,
    check_part,
    check_positive,
    check_weight,
    in_interval,
    instance_of,
    n_processes,
    one_of,
    random_generator,
    whole_number,
)

__all__ = [
    "as_array",
    "as_entries",
    "as_floats",
    "as_number",
    "as_path",
    "check_clusters",
    "check_exact",
    "check_part",
    "check_positive",
    "check_weight",
    "checked_labels",
    "class_codes",
    "class_target",
    "cluster_numbers",
    "covariance_matrix",
    "distinct",
    "finite_numbers",
    "finite_rows",
    "finite_vector",
    "in_interval",
    "instance_of",
    "listed",
    "n_processes",
    "one_of",
    "random_generator",
    "require_target",
    "same_length",
    "whole_number",
    "zero_one",
]

__getattr__ = former_names(__name__)
