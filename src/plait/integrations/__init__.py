"""Integrations: plait in other programs, above the public API: the playground and the MCP server for AI agents."""
