/** What the bridge promises of traces and metrics: a part of `requirements.ts`. */
export const telemetryRequirements = {
  'telemetry/one-tree': {
    promise:
      "the span of a host, the bridge's span of the request and the span of the function are one tree, over HTTP and stdio, in each revision",
    source: 'design',
  },
  'telemetry/no-cost': {
    promise: 'a collector that is away, or silent, costs no call, and the bridge stops in time',
    source: 'design',
  },
  'telemetry/bounded': {
    promise: 'whatever names clients think of, metrics have few labels',
    source: 'security',
  },
  'audit/who': {
    promise:
      'each call is one record with who made it, in each revision, over HTTP and stdio, in the log and told to subscribers',
    source: 'security',
  },
  'audit/denied': {
    promise:
      'who is not let in is in the log and told to subscribers, and no token is in anything that is written or told',
    source: 'security',
  },
  'audit/flaws': {
    promise:
      'what is wrong with a token of an identity provider is in the audit, and its sender reads the same whatever it is',
    source: 'security',
  },
  'audit/headers': {
    promise:
      'what is wrong with the header of a token is in the audit, a word for each, and its sender reads the same whatever it is',
    source: 'security',
  },
  'audit/hidden': {
    promise:
      'the audit says who asked for what a grant hides, and that it does, where its caller reads that there is nothing',
    source: 'security',
  },
  'audit/answers': {
    promise: 'who answers what somebody else was asked is in the audit, and the question goes on waiting',
    source: 'security',
  },
} as const
