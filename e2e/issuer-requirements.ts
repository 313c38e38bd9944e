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
  'issuers/tokens': {
    promise:
      'of the tokens of an issuer those alone are let in that are right in every respect, and whatever is wrong with one reads the same',
    source: 'security',
  },
  'issuers/keys': {
    promise:
      'a key counts as soon as it is published, and tokens that name keys of nobody cost their issuer two looks, and others half a minute',
    source: 'security',
  },
  'issuers/away': {
    promise:
      'while the keys of an issuer cannot be read those that are known serve on, and where none are its callers are asked to come back, not to log in',
    source: 'security',
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
