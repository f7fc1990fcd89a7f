"""The studies by name, in the order in which they are run and shown."""

from __future__ import annotations

from . import (
    beyond,
    cac,
    cac_curves,
    cac_synthetic,
    census,
    choices,
    claims,
    edges,
    fingerprint,
    german,
    hypotheses,
    kcc,
    kcssl,
    local,
    pkm,
    references,
    sizes,
    tables,
    variance_threshold,
)
from .base.study import Study

STUDIES: dict[str, Study] = {
    "census": census.STUDY,
    "german": german.STUDY,
    "tests": hypotheses.STUDY,
    "readings": fingerprint.STUDY,
    "references": references.STUDY,
    "choices": choices.STUDY,
    "cac": cac.STUDY,
    "cac-synthetic": cac_synthetic.STUDY,
    "cac-curves": cac_curves.STUDY,
    "pkm": pkm.STUDY,
    "kcc": kcc.STUDY,
    "kcssl": kcssl.STUDY,
    "beyond": beyond.STUDY,
    "local": local.STUDY,
    "sizes": sizes.STUDY,
    "claims": claims.STUDY,
    "tables": tables.STUDY,
    "edges": edges.STUDY,
    "variance": variance_threshold.STUDY,
}
