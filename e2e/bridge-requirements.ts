/** What the bridge promises of calls, streams, changes, tasks and results, on the wire: a part of `requirements.ts`. */
export const bridgeRequirements = {
  'calls/order': {
    promise: 'what a function says while it runs arrives in the order in which it was said, and all before the result',
    source: 'MCP',
  },
  'calls/cancelled': {
    promise:
      'a call that is cancelled in its session is given up, its function is told, and no other session can do it',
    source: 'MCP',
  },
  'calls/left': {
    promise: 'within 12 seconds a function is told that nobody reads its reply any more',
    source: 'design',
  },
  'calls/deadline': {
    promise: 'past its time a call is given up, and its client reads why and that the outcome is unknown',
    source: 'design',
  },
  'calls/stopping': {
    promise: 'a bridge that stops says so to whoever waits for a reply, plain or streamed',
    source: 'design',
  },
  'load/shares': {
    promise: 'no session, and nobody without one, takes more than a quarter of what the bridge runs at once',
    source: 'security',
  },
  'load/tasks': {
    promise: 'tasks that are over give way to new ones, and where too many run, a call that need not be a task is none',
    source: 'design',
  },
  'load/streams': {
    promise: 'the newest stream of a session takes the place of its oldest, which ends in order, and of nobody else’s',
    source: 'design',
  },
  'load/stream-shares': {
    promise: 'callers without a session leave sessions streams, and are told when they have their share',
    source: 'security',
  },
  'feed/told': {
    promise:
      'whoever is bound to mcp::on-call hears of each call once it is over: who, what, for how long and how it went',
    source: 'design',
  },
  'feed/secrets': {
    promise:
      'arguments reach only subscribers that ask for them, without secrets; session ids and secrets are in no record and no log',
    source: 'security',
  },
  'feed/bridges': {
    promise: 'all bridges of an engine tell all subscribers, whichever of them came last, and when that one is killed',
    source: 'design',
  },
  'feed/visible': {
    promise: 'a function learns which functions its caller may see, and nothing of a call that is over',
    source: 'security',
  },
  'asking/session': {
    promise: 'a question is answered in its own session only, and what the function keeps never reaches the client',
    source: 'security',
  },
  'asking/at-once': {
    promise: 'a call that no stream is left to ask on says so, and the others of its session get their answers',
    source: 'design',
  },
  'asking/sealed': {
    promise: 'request state opens for the request that it was given for, and is refused when it was changed',
    source: 'security',
  },
  'live/second': {
    promise: 'clients of both eras hear of a change within a second of its event',
    source: 'design',
  },
  'http/ready': {
    promise: 'a bridge says that it is ready when a request to itself came back, and until then what blocks it',
    source: 'design',
  },
  'live/fresh': {
    promise: 'lists are at most a second behind the engine, and clients that listen hear of more within a second',
    source: 'design',
  },
  'live/replaced': {
    promise:
      'a function that is replaced under its id is never missing, and listed with its new schema as soon as that is announced',
    source: 'design',
  },
  'twin/locked': {
    promise: 'a process that its configuration locks takes no id and no route that another one serves',
    source: 'design',
  },
  'live/once': {
    promise: 'a burst of changes is told once, and what changes nothing that clients see is not told',
    source: 'design',
  },
  'tasks/restart': {
    promise:
      'finished tasks are there after a restart of the bridge, and running ones end there when their function keeps results',
    source: 'design',
  },
  'results/limit': {
    promise: 'a result over the limit is cut, and says how much is gone and where the whole is',
    source: 'design',
  },
  'results/acceptable': {
    promise: 'clients accept what a function returns, whatever is malformed in it',
    source: 'design',
  },
  'results/own-codes': {
    promise: 'no error of a function makes a client give its session up',
    source: 'security',
  },
  'sessions/bounded': {
    promise: 'what sessions store is bounded, for each and for all together, and goes with them',
    source: 'security',
  },
  'sessions/older-store': {
    promise:
      'a store that an older version has filled, however large, costs no connection, and is taken over and cleaned up',
    source: 'security',
  },
  'sessions/crowd': {
    promise: 'sessions that never asked for anything end nobody else’s, however many there are',
    source: 'security',
  },
  'sessions/burst': {
    promise: 'a burst of changes to a session is written once and is there for another bridge within a second',
    source: 'security',
  },
  'sessions/ended': {
    promise:
      'an ended session stays ended until it would have expired, at each bridge; beyond 200000 of them no session begins',
    source: 'security',
  },
} as const
