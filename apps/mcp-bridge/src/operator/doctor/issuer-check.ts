import { isRecord } from '@iii/protocol'
import { ASK_MS, askHttp, type Check, type Finding, ok, problem, skipped, warning } from '@iii/sdk/cli'
import { fetchIssuerDocument } from '../../auth/issuers/fetch-document.ts'
import { readKeysOf } from '../../auth/issuers/issuer-keys.ts'
import { type ResourceMetadata, toMetadataFunctionId, toMetadataUrl, toResourceMetadata } from '../../auth/metadata.ts'
import type { AuthSettings } from '../../auth/settings/auth-block.ts'
import { findSettingsOf } from '../explain/settings.ts'
import type { BridgeContext } from './context.ts'
import { findRivals } from './rivals.ts'

/** Can people log in: are the keys of their issuers to be had, and do clients find the way to them from outside? */
export const issuerCheck: Check<BridgeContext> = {
  name: 'issuers',
  async run(context) {
    const { auth } = (await findSettingsOf(context.session)).settings
    const metadata = toResourceMetadata(auth)
    if (auth?.resource === undefined || metadata === undefined) return skipped('the settings name no issuer of tokens')
    const troubles = await findKeyTroubles(auth)
    if (troubles.length > 0) return problem(troubles.join('; '), MEND_ISSUER)
    return judgeMetadata(context, auth.resource, metadata)
  },
}

const MEND_ISSUER =
  'see that the address of the issuer is exactly the one in its tokens, and that this machine reaches it; a certificate of a company needs NODE_EXTRA_CA_CERTS'

/** Of each issuer whose keys cannot be read from here. */
async function findKeyTroubles({ issuers }: AuthSettings): Promise<string[]> {
  const found = issuers.map(({ issuer, jwks }) =>
    readKeysOf({ issuer, jwks, fetchDocument: fetchIssuerDocument }).then(
      () => [],
      (error: Error) => [`the keys of ${issuer} cannot be read: ${error.message}`],
    ),
  )
  return (await Promise.all(found)).flat()
}

async function judgeMetadata(
  context: BridgeContext,
  resource: string,
  { path, text }: ResourceMetadata,
): Promise<Finding> {
  const url = toMetadataUrl(resource)
  const taken = await findTaken(context, path, text)
  if (taken !== undefined) return taken
  try {
    const found = await fetchIssuerDocument(url)
    const named = isRecord(found) ? found['resource'] : undefined
    if (named === resource) return ok(`the keys of all issuers can be read, and clients find them at ${url}`)
    return problem(
      `clients give up at ${url}: it says that it is about ${JSON.stringify(named)}, and not about ${resource}`,
      'let auth.resource be the address that clients use, or lead that path to the engine of this bridge',
    )
  } catch (error) {
    const text = `clients do not find who gives tokens: ${(error as Error).message}`
    if (!(await isServedHere(context, path))) {
      return problem(text, 'start the bridge with these settings: it serves that path on the HTTP port of the engine')
    }
    return problem(
      `${text}. The engine has it at ${path}`,
      `let the proxy in front lead ${path} to the HTTP port of the engine as it is, for everybody, without asking for a token`,
    )
  }
}

/** Whoever has the path says to clients where to log in: that has to be the bridge. */
async function findTaken(context: BridgeContext, path: string, text: string): Promise<Finding | undefined> {
  const rivals = await findRivals(context, { path, functionId: toMetadataFunctionId(path) })
  if (rivals.length === 0) return undefined
  const address = await context.http()
  const answer = address && (await askHttp(address, { method: 'GET', path, timeoutMs: ASK_MS }).catch(() => undefined))
  const isOurs = JSON.stringify(answer?.json) === text
  const who = `${path} is bound to the function ${rivals.join(' or ')} too`
  const stop = 'stop that worker, or give its route another path, and restart the bridge'
  if (isOurs) return warning(`${who}; the last to register a route has it, and tells clients where to log in`, stop)
  return problem(`${who}, and that is what answers: clients are led to wherever it says to log in`, stop)
}

/** Whether the engine answers there, past whatever is in front of it. */
async function isServedHere({ http }: BridgeContext, path: string): Promise<boolean> {
  const address = await http()
  if (address === undefined) return false
  const answer = await askHttp(address, { method: 'GET', path, timeoutMs: ASK_MS }).catch(() => undefined)
  return answer?.status === 200
}
