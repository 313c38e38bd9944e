/** What no client gets past, and the documents of mcp 0.3.2 as they are followed: a part of `requirements.ts`. */
export const gateRequirements = {
  'gate/matrix': {
    promise:
      'on every way to a call, over both transports and in both eras, what is hidden is refused in its own words and not called',
    source: 'mcp 0.3.2',
  },
  'gate/disabled': {
    promise: 'what the operator has switched off is refused as disabled, over both transports',
    source: 'mcp 0.3.2',
  },
  'gate/one-second': {
    promise: 'no call is let through by what the gate knew more than a second ago',
    source: 'design',
  },
  'gate/fails-closed': {
    promise: 'what the engine does not vouch for is not called',
    source: 'design',
  },
} as const
