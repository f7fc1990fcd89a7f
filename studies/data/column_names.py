"""Column names of published files that come without a header line, in file order."""

from __future__ import annotations

from .published import names

SEGMENT_COLUMNS = names("""
    class, REGION-CENTROID-COL, REGION-CENTROID-ROW, REGION-PIXEL-COUNT, SHORT-LINE-DENSITY-5,
    SHORT-LINE-DENSITY-2, VEDGE-MEAN, VEDGE-SD, HEDGE-MEAN, HEDGE-SD, INTENSITY-MEAN, RAWRED-MEAN, RAWBLUE-MEAN,
    RAWGREEN-MEAN, EXRED-MEAN, EXBLUE-MEAN, EXGREEN-MEAN, VALUE-MEAN, SATURATION-MEAN, HUE-MEAN
""")

MUSHROOM_COLUMNS = names("""
    class, cap-shape, cap-surface, cap-color, bruises, odor, gill-attachment, gill-spacing, gill-size, gill-color,
    stalk-shape, stalk-root, stalk-surface-above-ring, stalk-surface-below-ring, stalk-color-above-ring,
    stalk-color-below-ring, veil-type, veil-color, ring-number, ring-type, spore-print-color, population, habitat
""")

VEHICLE_COLUMNS = names("""
    COMPACTNESS, CIRCULARITY, DISTANCE CIRCULARITY, RADIUS RATIO, PR.AXIS ASPECT RATIO, MAX.LENGTH ASPECT RATIO,
    SCATTER RATIO, ELONGATEDNESS, PR.AXIS RECTANGULARITY, MAX.LENGTH RECTANGULARITY, SCALED VARIANCE MAJOR,
    SCALED VARIANCE MINOR, SCALED RADIUS OF GYRATION, SKEWNESS MAJOR, SKEWNESS MINOR, KURTOSIS MINOR,
    KURTOSIS MAJOR, HOLLOWS RATIO, class
""")

MAGIC_COLUMNS = names("""
    fLength, fWidth, fSize, fConc, fConc1, fAsym, fM3Long, fM3Trans, fAlpha, fDist, class
""")
