/** What official clients and the official suite find when they use all that MCP knows: a part of `requirements.ts`. */
export const clientRequirements = {
  'conformance/sets': {
    promise: 'the official conformance suite finds nothing to fail and nothing to warn of, in any of its sets',
    source: 'MCP',
  },
  'conformance/stdio': {
    promise: 'over stdio the official suite finds nothing wrong either, but for what is about HTTP itself',
    source: 'MCP',
  },
  'conformance/skills': {
    promise: 'the scenarios of the skills extension pass in both eras, over HTTP and stdio, with no check skipped',
    source: 'MCP',
  },
  'conformance/command': {
    promise: '`conformance` prints the score of each set and what is wrong, and fails when anything is',
    source: 'main job',
  },
  'clients/content': { promise: 'clients get images, sounds and resources out of results as they are', source: 'MCP' },
  'clients/old': {
    promise: 'clients of older revisions get no block of content that their revision does not have',
    source: 'design',
  },
  'clients/progress': { promise: 'clients hear how far a call is, in order and before its result', source: 'MCP' },
  'clients/log': { promise: 'clients hear what a function logs, from the level on that they want', source: 'MCP' },
  'clients/ask': {
    promise: 'a function asks the client, in one round or several, and goes on with the answers',
    source: 'MCP',
  },
  'clients/cancel': { promise: 'a function is told that the client gave its call up', source: 'MCP' },
  'clients/goodbye': {
    promise: 'a client that closes while a call runs hears nothing of it any more, and has closed at once',
    source: 'MCP',
  },
  'clients/live': { promise: 'clients hear of changed lists and of changed resources', source: 'MCP' },
  'clients/complete': { promise: 'arguments are completed by a function', source: 'MCP' },
  'clients/resources': { promise: 'functions render resources, by address and by template', source: 'MCP' },
  'clients/resume': { promise: 'a result reaches a client whose stream was ended on the way', source: 'MCP' },
  'clients/inspector': {
    promise: 'the Inspector uses the bridge in both eras and finds its schemas portable',
    source: 'MCP',
  },
  'stdio/clients': {
    promise: 'a client that starts the bridge has all of MCP on stdin and stdout, in both eras',
    source: 'mcp 0.3.2',
  },
  'stdio/alone': {
    promise: 'bridges that clients have started put nothing on the HTTP port and do not disturb each other',
    source: 'design',
  },
  'stdio/away': {
    promise: 'without an engine the bridge answers all the same, says what is missing, and goes on when it is there',
    source: 'mcp 0.3.2',
  },
  'stdio/clean': {
    promise: 'each line on stdout is one JSON-RPC message, whatever comes on stdin and out of functions',
    source: 'security',
  },
  'stdio/locked': { promise: 'a malformed configuration is told to whoever asks anything', source: 'design' },
  'stdio/ends': {
    promise: 'the bridge ends with its client, within two seconds and with what it owes answered',
    source: 'mcp 0.3.2',
  },
} as const
