/** What `start` prints when everything is up: how to try it, how to connect a client, how to stop. */
export function formatStartSteps(mcpUrl: string): string {
  return `
Ready: ${mcpUrl}

Try it from another terminal:
npx -y @modelcontextprotocol/inspector --cli --transport http ${mcpUrl} --method tools/list

Paste this into the configuration of an MCP client:
${JSON.stringify({ mcpServers: { iii: { type: 'http', url: mcpUrl } } })}

Ctrl-C stops everything.
`
}
