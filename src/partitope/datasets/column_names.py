"""Column names of published files that come without a header line, in file order."""

from __future__ import annotations


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


CENSUS_COLUMNS = _names("""
    age, workclass, fnlwgt, education, education-num, marital-status, occupation, relationship, race, sex,
    capital-gain, capital-loss, hours-per-week, native-country, income
""")

GERMAN_COLUMNS = _names("""
    status of existing checking account, duration in months, credit history, purpose, credit amount,
    savings account/bonds, present employment since, installment rate in % of disposable income,
    personal status and sex, other debtors/guarantors, present residence since, property, age in years,
    other installment plans, housing, number of existing credits at this bank, job,
    number of people liable to provide maintenance for, telephone, foreign worker, credit rating
""")

SEGMENT_COLUMNS = _names("""
    class, REGION-CENTROID-COL, REGION-CENTROID-ROW, REGION-PIXEL-COUNT, SHORT-LINE-DENSITY-5,
    SHORT-LINE-DENSITY-2, VEDGE-MEAN, VEDGE-SD, HEDGE-MEAN, HEDGE-SD, INTENSITY-MEAN, RAWRED-MEAN, RAWBLUE-MEAN,
    RAWGREEN-MEAN, EXRED-MEAN, EXBLUE-MEAN, EXGREEN-MEAN, VALUE-MEAN, SATURATION-MEAN, HUE-MEAN
""")

MUSHROOM_COLUMNS = _names("""
    class, cap-shape, cap-surface, cap-color, bruises, odor, gill-attachment, gill-spacing, gill-size, gill-color,
    stalk-shape, stalk-root, stalk-surface-above-ring, stalk-surface-below-ring, stalk-color-above-ring,
    stalk-color-below-ring, veil-type, veil-color, ring-number, ring-type, spore-print-color, population, habitat
""")

VEHICLE_COLUMNS = _names("""
    COMPACTNESS, CIRCULARITY, DISTANCE CIRCULARITY, RADIUS RATIO, PR.AXIS ASPECT RATIO, MAX.LENGTH ASPECT RATIO,
    SCATTER RATIO, ELONGATEDNESS, PR.AXIS RECTANGULARITY, MAX.LENGTH RECTANGULARITY, SCALED VARIANCE MAJOR,
    SCALED VARIANCE MINOR, SCALED RADIUS OF GYRATION, SKEWNESS MAJOR, SKEWNESS MINOR, KURTOSIS MINOR,
    KURTOSIS MAJOR, HOLLOWS RATIO, class
""")

MAGIC_COLUMNS = _names("""
    fLength, fWidth, fSize, fConc, fConc1, fAsym, fM3Long, fM3Trans, fAlpha, fDist, class
""")
