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
} as const
