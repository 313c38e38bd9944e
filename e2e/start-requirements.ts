/** What we promise of `start` and of the sample worker. */
export const startRequirements = {
  'start/serves': {
    promise:
      '`start` runs engine, registry, bridge, records of runs, MCP servers and sample worker as separate processes, and MCP clients can use them',
    source: 'main job',
  },
  'start/next-steps': {
    promise: '`start` prints the MCP URL, a line for the Inspector, a JSON block for a client, and how to stop',
    source: 'main job',
  },
  'start/stop': { promise: 'Ctrl-C stops everything within seconds and leaves no process behind', source: 'main job' },
  'start/last-word': {
    promise: 'Ctrl-C in a terminal ends `start` with exit code 0, and `Stopped.` is the last line',
    source: 'main job',
  },
  'start/killed': { promise: 'no process stays behind when `start` itself is killed', source: 'main job' },
  'start/port-taken': {
    promise: 'a second `start` says which port is taken and how to choose another, and starts nothing',
    source: 'main job',
  },
  'start/flags': { promise: 'a wrong flag is answered with the right one, and nothing is started', source: 'main job' },
  'start/part-lost': {
    promise: 'when a part ends by itself, its last lines are shown and everything else is stopped',
    source: 'main job',
  },
  'start/data': { promise: '`start --data DIR` keeps what was stored for the next start', source: 'main job' },
  'start/data-lost': {
    promise: '`start --data DIR` says at once when something cannot be stored, and does not end with 0 then',
    source: 'main job',
  },
  'start/data-locked': { promise: 'one folder serves one `start --data` at a time', source: 'main job' },
  'start/unread': { promise: '`start` ends quietly when nobody reads what it prints', source: 'main job' },
  'start/engine': {
    promise: '`start --engine` runs the same workers on an engine that is already there',
    source: 'main job',
  },
  'start/engine-owned': {
    promise: '`start --engine` says which worker owns the route or the ids already, and starts nothing',
    source: 'main job',
  },
  'start/engine-unreachable': { promise: '`start --engine` says at once when no engine is there', source: 'main job' },
  'start/engine-http': {
    promise: '`start --engine` learns from the engine, or from --http-url, where it answers HTTP',
    source: 'main job',
  },
  'start/engine-proof': {
    promise: '`start --engine` announces no address that does not lead to that engine',
    source: 'main job',
  },
  'start/engine-parts': {
    promise: '`start --engine` names the workers of the engine that are missing, and how to have them',
    source: 'main job',
  },
  'start/mcp-servers': {
    promise: '`start` brings an MCP server, whose tools clients see, and `--mcp-servers FILE` runs others instead',
    source: 'main job',
  },
  'sample/turns': {
    promise: 'of orders sent at the same time with one reference one is made, and those that differ are refused',
    source: 'main job',
  },
  'sample/prompt': {
    promise: 'the prompt of the sample worker has an answer to whatever is typed as an order id',
    source: 'main job',
  },
  'start/allow-run': {
    promise: '`start --allow-run` lets MCP clients run the job of the sample worker',
    source: 'main job',
  },
} as const
