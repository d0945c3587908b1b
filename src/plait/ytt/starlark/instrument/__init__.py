"""Passes that add calls which observe an execution: dataflow, coverage and metering."""
