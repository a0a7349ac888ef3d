"""Does the theorem hold? Claims, verdicts, the report and the command line."""
