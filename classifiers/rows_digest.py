"""A digest of the rows that a model was fitted on, to tell them from others later."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..base.columns import without_nesting


def rows_digest(X: Any) -> str:
    """A digest of the rows of a table or an array that does not depend on their order; not collision-proof."""
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    nested = [f for f, dtype in enumerate(frame.dtypes) if pd.api.types.is_object_dtype(dtype)]
    for f in nested:  # lists and the like have no hash
        plain = [without_nesting(entry) for entry in frame.iloc[:, f]]
        frame = frame.copy(deep=False)
        frame.isetitem(f, np.array(plain, dtype=object))
    hashed = pd.util.hash_pandas_object(frame, index=False).to_numpy(np.uint64)
    return f"{len(frame)}-{int(hashed.sum(dtype=np.uint64)):016x}"
