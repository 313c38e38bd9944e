/** What we promise of the worker `runs` and its commands. */
export const runsRequirements = {
  'runs/one-holder': {
    promise: 'of any number of processes that want a lock one has it at a time, on any engine',
    source: 'seed 004',
  },
  'runs/dead-holder': {
    promise: 'the lock of a process that was killed goes to the next when its beats have stood still',
    source: 'design',
  },
  'runs/frozen-holder': {
    promise: 'a frozen process keeps its lock, and starts nothing once it wakes up and was unlocked',
    source: 'design',
  },
  'runs/one-lock': {
    promise:
      'the command line and the worker share locks: while one runs a job, the other is refused at once, by name of the run',
    source: 'seed 004',
  },
  'runs/killed': {
    promise: 'what became of a run whose process was killed is told to be unknown, and nothing is stuck',
    source: 'design',
  },
  'runs/cancel': {
    promise: 'a run can be cancelled from its terminal, by a signal and by its id, and its record says so',
    source: 'design',
  },
  'runs/stopped': { promise: 'a worker that is stopped finishes the records of its runs', source: 'design' },
  'runs/twin': { promise: 'two processes of the worker follow one another without a gap', source: 'design' },
  'runs/schedule': { promise: 'a job with a schedule is run by the engine', source: 'design' },
  'runs/no-secret': { promise: 'no secret of an input, result or error is kept or shown', source: 'security' },
  'runs/full': {
    promise: 'on a full store nothing runs that cannot be recorded, what runs ends, and old records make room',
    source: 'design',
  },
  'runs/idle': {
    promise: 'a worker that nobody asks calls nothing but what its ownership watch asks',
    source: 'design',
  },
  'stranger/runs': { promise: 'functions of workers on an official iii-sdk are tasks of jobs', source: 'design' },
  'runs/restart': { promise: 'the worker outlives its engine', source: 'design' },
} as const
