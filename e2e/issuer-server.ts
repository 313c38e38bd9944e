export { type IssuerServer, startIssuerServer } from '../apps/mcp-bridge/src/testing/issuer-server.ts'
export { JWKS_URL } from '../apps/mcp-bridge/src/testing/jwt-issuer.ts'
