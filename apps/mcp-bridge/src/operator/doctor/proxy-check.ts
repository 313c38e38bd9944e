import { type HttpAddress, toPublicUrl } from '@iii/sdk'
import { ASK_MS, askHttp, type Check, type Finding, type HttpAnswer, ok, problem, skipped, warning } from '@iii/sdk/cli'
import { toOpenness } from '../../neighbours/openness.ts'
import { findSettingsOf } from '../explain/settings.ts'
import { GREETING, readGreeting } from './ask-endpoint.ts'
import type { BridgeContext } from './context.ts'

/**
 * Does what is in front hand the header Authorization on as it came? Asks at the address that clients use, without a token and with a
 * wrong one; and with a good one where there is one, since a wrong token that has become two is as wrong as it was.
 */
export const proxyCheck: Check<BridgeContext> = {
  name: 'authorization',
  async run(context) {
    const { session } = context
    const { settings } = await findSettingsOf(session)
    const openness = toOpenness(settings)
    const asks = openness === 'nobody' || openness === 'granted'
    const url = session.flags.address ?? (asks ? settings.auth?.resource : undefined)
    if (url === undefined) {
      return skipped(
        asks ? 'needs the address that clients use: --address, or auth.resource' : 'nobody is asked for a token',
      )
    }
    const { username, password } = new URL(url)
    if (username !== '' || password !== '') return skipped(OF_SOMEBODY)
    const address = toPublicUrl(url)
    try {
      const without = await ask(url)
      if (!asks) return judgeOpen(address, without)
      const found = judge({ address, isAnonymous: openness === 'granted', without, wrong: await ask(url, WRONG) })
      // A token that others could read on the way is not sent.
      return found.verdict === 'ok' ? await tryToken(url, settings.apiPath, context, found) : found
    } catch (error) {
      const why = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message
      return problem(`nothing answers at ${address} (${why})`, REACH)
    }
  },
}

/** With a good token, where there is one. @param found what is known without */
async function tryToken(url: string, path: string, { session, http }: BridgeContext, found: Finding): Promise<Finding> {
  const { token } = session.host
  if (token === undefined) return found
  const good = `Bearer ${token}`
  const address = toPublicUrl(url)
  if (!isToldWrong(await ask(url, good))) return ok(`a token arrives through ${address} as it was sent`)
  return (await isTaken(await http(), path, good)) ? toDoubled(address) : USELESS
}

/** Whether the bridge lets in who has it, past whatever is in front. */
async function isTaken(address: HttpAddress | undefined, path: string, authorization: string): Promise<boolean> {
  if (address === undefined) return false
  const { body, headers } = GREETING
  const request = { method: 'POST', path, body, headers: { ...headers, authorization }, timeoutMs: ASK_MS }
  const answer = await askHttp(address, request).catch(() => undefined)
  return answer !== undefined && readGreeting(answer).kind === 'serves'
}

const OF_SOMEBODY = 'the address has a user or a password, which this command sends to nobody'
const USELESS = warning(
  'the token in III_MCP_TOKEN is none of the bridge, so whether tokens arrive as they were sent is not known',
  'put a good one there, or none',
)

function toDoubled(address: string): Finding {
  return problem(
    `a good token is refused through ${address}, and is taken by the engine's own port: the header Authorization is doubled or changed on the way, by one that stands behind it or is joined to it`,
    SET_ONE,
  )
}

const SET_ONE =
  'let the proxy hand the header on as it came, or set it and never append: of two the engine hands on the last, and of two in one none is a token'
const REACH = 'see that the name leads to the proxy, and the proxy to the HTTP port of the engine'
/** No token of anybody: the bridge says that it is none. */
const WRONG = 'Bearer iii-mcp-doctor-asks-whether-this-arrives'

interface Answers {
  /** As it is shown. */
  readonly address: string
  /** Are callers without a token let in? */
  readonly isAnonymous: boolean
  readonly without: Answer
  readonly wrong: Answer
}

type Answer = Pick<HttpAnswer, 'status' | 'json'> & { readonly challenge: string }

async function ask(url: string, authorization?: string): Promise<Answer> {
  const headers = { ...GREETING.headers, 'content-type': 'application/json', ...(authorization && { authorization }) }
  const signal = AbortSignal.timeout(ASK_MS)
  const body = JSON.stringify(GREETING.body)
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  const json = (await response.json().catch(() => undefined)) as HttpAnswer['json']
  return { status: response.status, json, challenge: response.headers.get('www-authenticate') ?? '' }
}

const isToldWrong = ({ challenge }: Answer) => challenge.includes('invalid_token')
const kindOf = (answer: Answer) => readGreeting({ ...answer, headers: {} }).kind

function judge(answers: Answers): Finding {
  const { address, wrong } = answers
  if (kindOf(wrong) === 'foreign') return toForeign(answers)
  if (kindOf(wrong) === 'refuses') return problem(`the bridge behind ${address} answers nothing`, 'see the check route')
  const added = findAdded(answers)
  if (added !== undefined) return added
  if (!isToldWrong(wrong)) {
    return problem(
      `the header Authorization does not arrive through ${address}: clients with a token hear that they have none`,
      'let the proxy hand it on as it came, for example without proxy_set_header Authorization ""',
    )
  }
  return address.startsWith('https:') || LOCAL.test(address)
    ? ok(
        `the header Authorization arrives through ${address}; with a good token in III_MCP_TOKEN it is told whether as it was sent`,
      )
    : warning(`a token arrives through ${address}, and everybody on the way can read it`, 'give the proxy TLS')
}

/** Something on the way answers whoever shows a token. */
function toForeign({ address, without, wrong: { status } }: Answers): Finding {
  const text = `at ${address} something else than the bridge answers (HTTP ${status})`
  if (status === 401 || status === 403) {
    return problem(
      `${text}, and lets no token of the bridge through`,
      'let the proxy hand every request on, and leave it to the bridge to ask',
    )
  }
  if (kindOf(without) === 'foreign') return problem(text, REACH)
  return problem(
    `${text}, where a request has a token; without one the bridge does`,
    `see what becomes of the header Authorization: nginx answers 400 where another proxy in front has doubled it; ${SET_ONE}`,
  )
}

/** An Authorization that no client has sent. */
function findAdded({ address, isAnonymous, without, wrong }: Answers): Finding | undefined {
  if (isToldWrong(without)) {
    return problem(
      `what is in front of ${address} writes an Authorization of its own, beside that of clients or in its place`,
      `take that line out of the proxy: ${SET_ONE}`,
    )
  }
  if (kindOf(without) === 'serves' && !isAnonymous) {
    return problem(
      `whoever reaches ${address} is let in without a token: what is in front sends one of its own`,
      'take the token out of the proxy, or let it ask who its clients are',
    )
  }
  if (kindOf(wrong) === 'serves' && !isAnonymous) {
    return problem(
      `whoever sends any token to ${address} is let in: what is in front sends one of its own behind it or in its place`,
      'take the token out of the proxy, or let it ask who its clients are',
    )
  }
  return undefined
}

/** Of a bridge that leaves it to what is in front to ask. */
function judgeOpen(address: string, without: Answer): Finding {
  const { status } = without
  const kind = kindOf(without)
  if (kind === 'serves') return ok(`the bridge answers at ${address}, and nobody is asked for a token`)
  if (kind === 'refuses') return problem(`the bridge behind ${address} answers nothing`, 'see the check route')
  return status === 401 || status === 403
    ? ok(
        `what is in front of ${address} asks for a token (HTTP ${status}); whether the bridge is behind it is not known`,
      )
    : problem(`at ${address} something else than the bridge answers (HTTP ${status})`, REACH)
}

const LOCAL = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/
