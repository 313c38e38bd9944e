import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { type IssuerServer, JWKS_URL, startIssuerServer } from '../issuer-server.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { inventToken, toTokenHash } from '../tokens.ts'
import { until } from '../until.ts'
import { readCpuMs } from './cpu-time.ts'
import { createHttpCaller } from './http-caller.ts'
import { type BenchSubject, runFor } from './measure.ts'
import { PAYLOAD } from './payload.ts'
import { formatHalves, measureHalf } from './swapped-halves.ts'
import { startOwnBridge } from './switched-bridge.ts'

const WARM_UP_MS = 2_000
const WARM_UP_TOKENS = 200
/** Fewer than a bridge remembers. */
const NEW_TOKENS = 1_500
const SIGNED = { alg: 'RS256', kid: 'bench' }

/** What a tools/call costs with a token of an issuer, beside the same with a token of the file, and what the first call with such a token costs. */
export async function measureIssuer(): Promise<string> {
  const { use, run } = createCleanup()
  try {
    const folder = use(await createTempFolder()).path
    const issuer = use(await startIssuerServer())
    issuer.idp.documents.set(JWKS_URL, { keys: [await issuer.idp.toJwk(SIGNED.kid, SIGNED.alg)] })
    const stack = use(await startStack({ workers: [] }))
    stack.worker.registerFunction('auth::echo', (payload: unknown) => payload)
    await until(() => hasFunctions(stack.worker, ['auth::echo']), { what: 'auth::echo' })
    const open = (name: string) => openSide(stack, issuer, join(folder, name))
    const [one, other] = [await open('one'), await open('other')]
    for (const side of [one, other]) use(side.child)
    const tell = async (method: Measured) => {
      const title = `bridge: ${method} with an RS256 token of an issuer, beside the same with a token of the file`
      return formatHalves(title, [await measureTokens(one, other, method), await measureTokens(other, one, method)])
    }
    return `${await tell('tools/call')}${formatFirst(await measureFirst(one))}${await tell('tools/list')}`
  } finally {
    await run()
  }
}

type OpenSide = Awaited<ReturnType<typeof openSide>>

const MEASURED = {
  'tools/call': { name: 'auth__echo', arguments: PAYLOAD },
  'tools/list': {},
} as const
type Measured = keyof typeof MEASURED

async function measureTokens(signed: OpenSide, plain: OpenSide, method: Measured) {
  const [more, less] = [{ subject: signed.ofIssuer[method] }, { subject: plain.ofFile[method] }]
  for (const { subject } of [more, less]) await runFor(subject, 1, WARM_UP_MS)
  return await measureHalf(more, less)
}

/** Processor time of the bridge for a call, in milliseconds. */
interface FirstCalls {
  readonly first: number
  readonly later: number
}

async function measureFirst({ ofIssuer, sign, callWith, child: { pid } }: OpenSide): Promise<FirstCalls> {
  const tokens: string[] = []
  for (let count = 0; count < WARM_UP_TOKENS + NEW_TOKENS; count += 1) tokens.push(await sign())
  for (const token of tokens.slice(0, WARM_UP_TOKENS)) await callWith(token)
  const fresh = tokens.slice(WARM_UP_TOKENS)
  const first = await measureCpu(pid, async () => {
    for (const token of fresh) await callWith(token)
  })
  const later = await measureCpu(pid, async () => {
    for (const _ of fresh) await ofIssuer['tools/call'].run()
  })
  return { first: first / NEW_TOKENS, later: later / NEW_TOKENS }
}

async function measureCpu(pid: number, work: () => Promise<void>): Promise<number> {
  const before = readCpuMs(pid) ?? Number.NaN
  await work()
  return (readCpuMs(pid) ?? Number.NaN) - before
}

function formatFirst({ first, later }: FirstCalls): string {
  const costs = `${first.toFixed(2)} ms for the first call with a token, ${later.toFixed(2)} ms for a later one`
  return `processor time of the bridge: ${costs}; to verify a token takes ${(first - later).toFixed(2)} ms\n`
}

/** A bridge that takes a token of its file and those of an issuer. */
async function openSide(stack: Stack, { issuer, jwks, idp }: IssuerServer, place: string) {
  const token = inventToken()
  const hash = toTokenHash(token)
  const { child, name, url } = await startOwnBridge(stack, place, (resource) => ({
    auth: {
      ...{ mode: 'required', resource, grants: { all: {} } },
      tokens: [{ name: 'bench', hash: [hash], grant: 'all' }],
      issuers: [{ issuer, jwks, audience: [resource], grants: [{ grant: 'all' }] }],
    },
  }))

  const toHeaders = (bearer: string) => ({ accept: 'application/json', authorization: `Bearer ${bearer}` })
  const toCaller = (method: Measured, readBearer: () => string) =>
    createHttpCaller(url, { jsonrpc: '2.0', id: 1, method, params: MEASURED[method] }, () => toHeaders(readBearer()))
  const toSubject = (method: Measured, bearer: string): BenchSubject => ({
    ...{ name, pid: child.pid },
    run: toCaller(method, () => bearer),
  })
  const toSubjects = (bearer: string) => ({
    'tools/call': toSubject('tools/call', bearer),
    'tools/list': toSubject('tools/list', bearer),
  })
  const sign = () => {
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: issuer,
      aud: url,
      sub: 'bench',
      iat: now,
      exp: now + 3_600,
      jti: randomBytes(8).toString('hex'),
    }
    return idp.sign(claims, SIGNED)
  }
  let bearer = token
  const callAny = toCaller('tools/call', () => bearer)
  const [ofFile, ofIssuer] = [toSubjects(token), toSubjects(await sign())]
  const answers = () =>
    Promise.all([ofFile['tools/call'].run(), ofIssuer['tools/call'].run()]).then(
      () => true,
      () => false,
    )
  await until(answers, { what: `${name} to take both tokens` })
  return {
    ...{ child, ofFile, ofIssuer, sign },
    callWith(one: string) {
      bearer = one
      return callAny()
    },
  }
}
