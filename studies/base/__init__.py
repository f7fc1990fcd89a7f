"""What every study shares: jobs and their runner, rows and verdicts, ranks, records."""
