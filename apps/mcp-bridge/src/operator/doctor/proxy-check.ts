import { ASK_MS, type Check, type Finding, type HttpAnswer, ok, problem, skipped, warning } from '@iii/sdk/cli'
import { toOpenness } from '../../neighbours/openness.ts'
import { findSettingsOf } from '../explain/settings.ts'
import { GREETING, readGreeting } from './ask-endpoint.ts'
import type { BridgeContext } from './context.ts'

/** Does what is in front hand the header Authorization on as it came? Asks at the address that clients use, without a token and with a wrong one. */
export const proxyCheck: Check<BridgeContext> = {
  name: 'authorization',
  async run({ session }) {
    const { settings } = await findSettingsOf(session)
    const openness = toOpenness(settings)
    if (openness === 'told' || openness === 'untold') return skipped('nobody is asked for a token')
    const address = session.flags.address ?? settings.auth?.resource
    if (address === undefined) return skipped('needs the address that clients use: --address, or auth.resource')
    try {
      const [without, wrong] = [await ask(address), await ask(address, WRONG)]
      return judge({ address, isAnonymous: openness === 'granted', without, wrong })
    } catch (error) {
      const why = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message
      return problem(`nothing answers at ${address} (${why})`, REACH)
    }
  },
}

const REACH = 'see that the name leads to the proxy, and the proxy to the HTTP port of the engine'
/** No token of anybody: the bridge says that it is none. */
const WRONG = 'Bearer iii-mcp-doctor-asks-whether-this-arrives'

interface Answers {
  readonly address: string
  /** Are callers without a token let in? */
  readonly isAnonymous: boolean
  readonly without: Answer
  readonly wrong: Answer
}

type Answer = Pick<HttpAnswer, 'status' | 'json'> & { readonly challenge: string }

async function ask(address: string, authorization?: string): Promise<Answer> {
  const headers = { ...GREETING.headers, 'content-type': 'application/json', ...(authorization && { authorization }) }
  const signal = AbortSignal.timeout(ASK_MS)
  const body = JSON.stringify(GREETING.body)
  const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' })
  const json = (await response.json().catch(() => undefined)) as HttpAnswer['json']
  return { status: response.status, json, challenge: response.headers.get('www-authenticate') ?? '' }
}

const isToldWrong = ({ challenge }: Answer) => challenge.includes('invalid_token')
const kindOf = (answer: Answer) => readGreeting({ ...answer, headers: {} }).kind

function judge({ address, isAnonymous, without, wrong }: Answers): Finding {
  if (kindOf(wrong) === 'foreign') {
    const own = wrong.status === 401 || wrong.status === 403
    const text = `at ${address} something else than the bridge answers (HTTP ${wrong.status})`
    return own
      ? problem(
          `${text}, and lets no token of the bridge through`,
          'let the proxy hand every request on, and leave it to the bridge to ask',
        )
      : problem(text, REACH)
  }
  if (kindOf(wrong) === 'refuses') return problem(`the bridge behind ${address} answers nothing`, 'see the check route')
  if (isToldWrong(without)) {
    return problem(
      `what is in front of ${address} writes an Authorization of its own, which takes the place of that of clients`,
      'take that line out of the proxy, or let it set the header and never append: of two the engine hands on the last',
    )
  }
  if (kindOf(without) === 'serves' && !isAnonymous) {
    return problem(
      `whoever reaches ${address} is let in without a token: what is in front sends one of its own`,
      'take the token out of the proxy, or let it ask who its clients are',
    )
  }
  if (!isToldWrong(wrong)) {
    return problem(
      `the header Authorization does not arrive through ${address}: clients with a token hear that they have none`,
      'let the proxy hand it on as it came, for example without proxy_set_header Authorization ""',
    )
  }
  return address.startsWith('https:') || LOCAL.test(address)
    ? ok(`a token arrives through ${address} as it was sent`)
    : warning(`a token arrives through ${address}, and everybody on the way can read it`, 'give the proxy TLS')
}

const LOCAL = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/
