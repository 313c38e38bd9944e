import { type Check, ok, problem, skipped, warning } from '@iii/sdk/cli'
import { findSettingsOf } from '../explain/settings.ts'
import type { BridgeContext } from './context.ts'

const SOON_DAYS = 14
const DAY_MS = 24 * 3_600_000
const REPLACE =
  'make a token with iii-mcp token create NAME, add its hash to that entry beside the old one, give it out, and take the old one away'

/** Are the tokens of the file good for some time yet? */
export const tokensCheck: Check<BridgeContext> = {
  name: 'tokens',
  async run({ session }) {
    const { auth } = (await findSettingsOf(session)).settings
    if (auth === undefined || auth.mode === 'off') return skipped('nobody is asked for a token')
    return judge(auth.tokens, Date.now())
  },
}

/** @param now in milliseconds of `Date.now()` */
function judge(tokens: readonly { readonly name: string; readonly expires?: string | undefined }[], now: number) {
  const ending = tokens.flatMap(({ name, expires }) =>
    expires === undefined ? [] : [{ name, at: Date.parse(expires) }],
  )
  const over = ending.filter(({ at }) => at <= now).map(({ name }) => name)
  const soon = ending.filter(({ at }) => at > now && at < now + SOON_DAYS * DAY_MS)
  if (over.length > 0) return problem(`these have expired, and their clients hear 401: ${over.join(', ')}`, REPLACE)
  if (soon.length === 0) return ok(`${tokens.length} in the file, none of which ends within ${SOON_DAYS} days`)
  const named = soon.map(({ name, at }) => `${name} in ${Math.ceil((at - now) / DAY_MS)} days`)
  return warning(`these end soon: ${named.join(', ')}`, REPLACE)
}
