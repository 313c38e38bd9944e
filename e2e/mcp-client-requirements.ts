/** What we promise of the worker `mcp-client` and of the MCP servers that it runs. */
export const mcpClientRequirements = {
  'mcp-client/tools': {
    promise: 'the tools of an MCP server that the file names and trusts are functions, and tools of MCP clients',
    source: 'seed 003',
  },
  'mcp-client/trust': {
    promise: 'without `trust` no process is started, and the state says what is missing',
    source: 'seed 003',
  },
  'mcp-client/authority': {
    promise: 'no agent can start, trust, approve or change a server, by any function, setting or stored row',
    source: 'seed 003',
  },
  'mcp-client/file-alone': {
    promise: 'servers that are stored on the engine change nothing, and the log names the key',
    source: 'seed 003',
  },
  'mcp-client/gate': {
    promise: 'the gate of the bridge judges the tools of a server like any function',
    source: 'seed 003',
  },
  'mcp-client/history': { promise: 'a call of such a tool is in the history of calls', source: 'seed 003' },
  'mcp-client/no-injection': {
    promise: 'instructions, resources, prompts and notifications of a server are in no list and in no prompt',
    source: 'seed 003',
  },
  'mcp-client/operations': {
    promise: 'resources and prompts are read and got by functions, where the file asks for them',
    source: 'seed 003',
  },
  'mcp-client/revisions': {
    promise: 'servers of every revision from 2024-11-05 to 2025-11-25 serve, and another one is named',
    source: 'seed 003',
  },
  'mcp-client/fail-closed': {
    promise: 'a server that asks for sampling, elicitation or roots gets an error, and it is counted',
    source: 'seed 003',
  },
  'mcp-client/start': {
    promise:
      'a server that does not start, or not as a server should, costs nobody else anything, and its state says why',
    source: 'design',
  },
  'mcp-client/noise': {
    promise: 'a few lines that are no messages are skipped, many of them end the connection',
    source: 'design',
  },
  'mcp-client/processes': {
    promise:
      'nobody of the process group of a server is left when the worker stops or is killed, whatever the server does',
    source: 'seed 003',
  },
  'mcp-client/environment': {
    promise: 'a server has the environment that the file gives it, and nothing else of the worker',
    source: 'seed 003',
  },
  'mcp-client/flood': {
    promise: 'a server that sends more than it may, or reads nothing, costs itself and no memory',
    source: 'security',
  },
  'mcp-client/storm': { promise: 'announcements that do not end cost a look a second at most', source: 'security' },
  'mcp-client/lists': {
    promise: 'a list of tools that is too long, or does not end, is refused as a whole',
    source: 'security',
  },
  'mcp-client/names': {
    promise: 'any name of a tool is a canonical id that leads back to it; names that collide are left out',
    source: 'security',
  },
  'mcp-client/schemas': { promise: 'a tool whose schema cannot be used is left out, and named', source: 'security' },
  'mcp-client/stable': {
    promise: 'ids stay what they are when servers come, are put in another order or start anew',
    source: 'seed 003',
  },
  'mcp-client/approval': {
    promise: 'a tool that is new or says something else of itself is away until a person approves it',
    source: 'security',
  },
  'mcp-client/results': { promise: 'results are bounded, and what is left of them is well-formed', source: 'seed 003' },
  'mcp-client/replies': { promise: 'replies that nobody asked for, or twice, reach nobody', source: 'security' },
  'mcp-client/calls': {
    promise: 'a call that fails, is given up, comes too often or loses its server says so in the words of the house',
    source: 'design',
  },
  'mcp-client/secrets': {
    promise: 'no secret of a server is in a result, error, log, state or record, plain or encoded',
    source: 'seed 003',
  },
  'mcp-client/live': {
    promise: 'a change of the file reaches the servers that it is about, and no other',
    source: 'design',
  },
  'mcp-client/restart': { promise: 'a restart of the engine restarts no server', source: 'design' },
  'mcp-client/twin': {
    promise: 'of two workers the earlier one serves, and the later one when it is gone',
    source: 'design',
  },
  'mcp-client/parallel': {
    promise: 'servers start in parallel, and one that hangs delays no other',
    source: 'design',
  },
  'mcp-client/reference': {
    promise:
      'the reference servers of MCP work unchanged: lists, calls, progress, cancelling, resources, prompts, changes',
    source: 'seed 003',
  },
  'mcp-client/commands': {
    promise:
      'the commands list, show, check and explain servers and tools, with exit codes, and without starting what they need not',
    source: 'design',
  },
} as const
