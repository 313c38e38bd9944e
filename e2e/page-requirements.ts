/** What a browser gets at the address of the endpoint. */
export const pageRequirements = {
  'page/served': {
    promise:
      'a browser that opens the address gets one page, with a policy that lets nothing in or out; clients of MCP get what they got before',
    source: 'design',
  },
  'page/local': {
    promise: 'the page is there while the server answers to this machine alone, or where the operator says so',
    source: 'design',
  },
  'page/connect': {
    promise:
      'the page says how each MCP client is connected: address, command, block to copy, and a link where it has one',
    source: 'design',
  },
  'page/tools': {
    promise: 'the page lists the tools of agents, fills their forms in, calls them, and shows each message on demand',
    source: 'design',
  },
  'page/accessible': {
    promise: 'nothing on the page is a serious barrier, in the light and in the dark',
    source: 'design',
  },
} as const
