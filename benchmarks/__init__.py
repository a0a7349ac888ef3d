"""Time, memory and accuracy, for asv: `asv run --config benchmarks/asv.conf.json --quick`."""
