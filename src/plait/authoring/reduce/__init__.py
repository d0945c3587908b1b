"""The smallest input that still shows a behaviour (`plait reduce`)."""
