/** What we promise of the tools and commands about runs: seed 004 in the terms of this engine. */
export const runsToolsRequirements = {
  'runs/tools': {
    promise:
      'MCP clients find the tools about runs, read-only and with output schemas, and every result fits its schema',
    source: 'seed 004',
  },
  'runs/inspector': {
    promise: 'the MCP Inspector asks about runs over HTTP and over stdio',
    source: 'seed 004',
  },
  'runs/inert': {
    promise: 'inspection runs no function of a worker, and writes nothing but what the bridge tells of its calls',
    source: 'seed 004',
  },
  'runs/refused': {
    promise:
      'without --allow-run run_job is no tool, whoever calls it reads which flag is missing, and no stored setting helps',
    source: 'seed 004',
  },
  'runs/same-run': {
    promise: 'a run over MCP and one by the command line have the same record, lock, cache and exit codes',
    source: 'seed 004',
  },
  'runs/same-output': {
    promise: 'what a tool answers is what its command prints with --json',
    source: 'seed 004',
  },
  'runs/mine': {
    promise: 'an agent asks what it did, and is told its own calls and runs with inputs and outcome',
    source: 'design',
  },
  'runs/as-task': {
    promise:
      'a client that waits for a run hears how far it is, task by task; for one that has tasks it runs as one, and can be cancelled',
    source: 'seed 004',
  },
  'runs/large': {
    promise: 'a run is answered and shown however large its results are: what does not fit is left out, and counted',
    source: 'design',
  },
  'runs/hidden': {
    promise: 'what the bridge hides from a client is in no answer about tasks, jobs and runs',
    source: 'security',
  },
} as const
