/** What no client gets past, and the documents of mcp 0.3.2 as they are followed: a part of `requirements.ts`. */
export const gateRequirements = {
  'gate/own-refusal': {
    promise: 'a function that hides itself may say why in its own words, and clients that call it read them',
    source: 'design',
  },
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
  'audiences/own': {
    promise: 'the same worker has three audiences at once, over stdio and HTTP, and each has its own part of it',
    source: 'mcp 0.3.2',
  },
  'audiences/apart': {
    promise: 'bridges on one engine have ids and routes of their own, come and go, and do not disturb each other',
    source: 'design',
  },
  'local/inspector-gui': {
    promise:
      'a client finds what mcp 0.3.2 says of the tabs of the Inspector: tools, four resources, four prompts, ping',
    source: 'mcp 0.3.2',
  },
  'local/inspector-cli': {
    promise: 'the command lines of the Inspector in mcp 0.3.2 work over HTTP and over stdio',
    source: 'mcp 0.3.2',
  },
  'local/desktop': {
    promise:
      'the block for Claude Desktop in mcp 0.3.2 starts the server, with the words for users and for developers too',
    source: 'mcp 0.3.2',
  },
  'local/gates': {
    promise: 'the commands of "Verify each gate" in mcp 0.3.2 show their texts',
    source: 'mcp 0.3.2',
  },
} as const
