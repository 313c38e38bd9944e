/** Tokens of identity providers. */
export const issuerRequirements = {
  'issuers/fixture': {
    promise: 'the authorization server of these scenarios is one by the official suite',
    source: 'MCP',
  },
  'issuers/login': {
    promise:
      'the official client goes from its first refusal to a result of a tool by itself: metadata, registration, login, token',
    source: 'MCP',
  },
  'conformance/auth': {
    promise: 'behind tokens, which end and are replaced while it runs, the official suite finds nothing wrong either',
    source: 'MCP',
  },
  'issuers/inspector': {
    promise: 'the MCP Inspector in a browser goes from its first refusal to the login and on to a result of a tool',
    source: 'MCP',
  },
  'issuers/other-origin': {
    promise:
      'a page of another origin that the operator lets in calls with a token and reads why it is refused, as the documents say',
    source: 'MCP',
  },
  'issuers/machine': {
    promise: 'a client without a user is let in by its own token, and by nothing that was not issued for this server',
    source: 'MCP',
  },
  'issuers/claims': {
    promise: 'a function is told who asks, with the claims that the operator names and no others, and never the token',
    source: 'security',
  },
  'issuers/metadata': {
    promise: 'a refusal leads whoever asks to who gives tokens for this server',
    source: 'MCP',
  },
} as const
