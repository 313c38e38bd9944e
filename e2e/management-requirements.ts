/** What a client can do to the engine with the tools that are not functions: a part of `requirements.ts`. */
export const managementRequirements = {
  'management/worker': {
    promise: 'a client writes a worker, calls it as a tool, and stops it; nothing of it is left',
    source: 'mcp 0.3.2',
  },
  'management/official-sdk': {
    promise: 'a worker that a client writes may use the official SDK for Node.js, where it is installed',
    source: 'mcp 0.3.2',
  },
  'management/python': {
    promise: 'a client writes a worker in Python, where the official SDK is installed',
    source: 'mcp 0.3.2',
  },
  'management/ends': {
    promise: 'workers that a client wrote end with the server, however that ends, and leave no folder',
    source: 'security',
  },
  'management/trigger': {
    promise:
      'a client attaches a route to a function, enqueues and calls without waiting; the route leaves with the server',
    source: 'mcp 0.3.2',
  },
  'management/watching': {
    promise:
      'no trigger of a client tells a function what is in the engine’s state, session keys least of all, nor its log, configuration and calls',
    source: 'security',
  },
  'management/gate': {
    promise: 'no management tool runs code without --allow-run, nor leads into an internal namespace',
    source: 'security',
  },
} as const
