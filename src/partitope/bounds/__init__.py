"""What size bounds cost: the study behind ``partitope bounds``, its text, its figures and its page."""
