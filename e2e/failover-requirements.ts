/** What we promise of several processes on one engine: who serves when one of them is lost, and that they live side by side. */
export const failoverRequirements = {
  'failover/gone': {
    promise: 'when the process that serves is killed or stopped, the one that stands by serves within a second',
    source: 'design',
  },
  'failover/silent': {
    promise:
      'when it is connected and does not answer, the other serves within a second where the engine lets it, and else says once whose process to end',
    source: 'design',
  },
  'failover/asking': {
    promise:
      'where one bridge asks callers for tokens, none whose settings say nothing of who may ask answers them at its path, not even before it has seen the other one',
    source: 'design',
  },
  'failover/remembered': {
    promise:
      'a process that remembers the connection of the one before it has the engine end that, and has its name and functions at once',
    source: 'design',
  },
  'failover/name': {
    promise: 'a process that had to go by a name of its own has the usual one once nobody else does, without a pause',
    source: 'design',
  },
  'failover/servers': {
    promise: 'the servers of a process that does not answer are not started a second time, and the log says why',
    source: 'design',
  },
  'failover/split': {
    promise: 'two processes that have a part of the functions each end with one that has all, within two seconds',
    source: 'design',
  },
  'upgrade/rolling': {
    promise: 'two bridges on paths of their own behind a balancer are replaced under load without one failed request',
    source: 'design',
  },
  'upgrade/one-path': {
    promise: 'of two bridges on one path, that which stands by comes and leaves without one failed request',
    source: 'design',
  },
  'failover/crowd': {
    promise: 'bridges, registries and commands on one engine keep their tools, connections and logs as they are',
    source: 'design',
  },
} as const
