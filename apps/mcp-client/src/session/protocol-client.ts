import type { Client } from '@modelcontextprotocol/sdk/client/index.js'

/** What this program calls itself towards servers. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
}

/**
 * The official client, which is loaded when the first server starts. It declares nothing, so whatever a server asks is refused, and it checks
 * no output: a result that does not fit its schema is still a result.
 */
export async function loadProtocolClient(info: ClientInfo): Promise<Client> {
  loading ??= import('@modelcontextprotocol/sdk/client/index.js')
  const { Client: OfficialClient } = await loading
  return new OfficialClient(info, { capabilities: {}, jsonSchemaValidator: UNUSED })
}

let loading: Promise<{ readonly Client: typeof Client }> | undefined

const UNUSED = {
  getValidator(): never {
    throw new Error('output is checked elsewhere')
  },
}
