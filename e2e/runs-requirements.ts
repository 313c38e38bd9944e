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
} as const
