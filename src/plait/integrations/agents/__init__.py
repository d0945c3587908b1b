"""The MCP server for AI agents, `plait mcp` (docs/mcp.md): the public API as tools and resources.

tools         the tools: arguments, results, and the calls of the public API behind them
result_pages  one page of a result, within a maximum number of characters
pages         the pages of the documentation
server        the protocol, and a worker process for each call
"""
