"""What is measured: `probe` asks the probes, `session` runs all; the others read executed and generated code."""
