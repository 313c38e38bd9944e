import { expect } from 'vitest'
import { startAuthorizationServer } from '../authorization/authorization-server.ts'
import { scoreAuthorizationServer } from '../conformance/authorization.ts'
import { scenario } from '../scenario.ts'

scenario(['issuers/fixture'], 'the official suite finds nothing wrong with the authorization server', async () => {
  await using server = await startAuthorizationServer()
  const { passed, problems } = await scoreAuthorizationServer(server.issuer, 'https://mcp.example.com/mcp')
  expect(problems).toBeUndefined()
  expect(passed).toEqual(['authorization-server-metadata-endpoint', 'authorization-code-grant'])
})
