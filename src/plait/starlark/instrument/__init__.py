"""Passes that add calls which observe an execution: data flow, coverage and metering."""
