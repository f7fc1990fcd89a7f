"""Checks of arguments, each written once: what does not fit is refused in one line that says what to pass instead."""

from .arrays import (
    absent,
    as_array,
    as_entries,
    as_floats,
    covariance_matrix,
    distinct,
    finite_numbers,
    finite_rows,
    finite_vector,
    listed,
    refuse_absent,
    refuse_masked,
    refuse_missing,
    same_length,
)
from .estimators import sample_weights, validate_data
from .labels import checked_labels, class_codes, class_target, cluster_numbers, numbers_below, require_target, zero_one
from .values import (
    as_number,
    as_path,
    check_clusters,
    check_part,
    check_positive,
    check_progress,
    check_weight,
    in_interval,
    instance_of,
    n_processes,
    number_or_nan,
    one_of,
    random_generator,
    said,
    single_number,
    whole_number,
)
