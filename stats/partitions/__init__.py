"""How partitions agree, depend on classes, separate them, and come out again on other samples."""
