import { join } from 'node:path'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { inventToken, toTokenHash } from '../tokens.ts'
import { until } from '../until.ts'
import { DESCRIPTION, REQUEST_FORMAT } from './bridge-tools.ts'
import { createHttpCaller } from './http-caller.ts'
import { type BenchSubject, runFor } from './measure.ts'
import { formatHalves, measureHalf } from './swapped-halves.ts'
import { startOwnBridge } from './switched-bridge.ts'

/** As many as a bridge keeps the ready lists of. */
const VIEWS = 64
/** Tools that all of them have; each has one more of its own. */
const SHARED = 49
const WARM_UP_MS = 2_000

/** What a tools/list costs where 64 callers with other grants ask in turn, beside the same where one of them asks. */
export async function measureViews(): Promise<string> {
  const { use, run } = createCleanup()
  try {
    const folder = use(await createTempFolder()).path
    const stack = use(await startStack({ workers: [] }))
    await registerTools(stack)
    const [one, other] = [await openBridge(stack, join(folder, 'one')), await openBridge(stack, join(folder, 'other'))]
    for (const { child } of [one, other]) use(child)
    const title = `bridge: tools/list for ${VIEWS} views in turn, beside the same for one view`
    return formatHalves(title, [await measureBoth(one, other), await measureBoth(other, one)])
  } finally {
    await run()
  }
}

type ViewedBridge = Awaited<ReturnType<typeof openBridge>>

async function measureBoth(more: ViewedBridge, less: ViewedBridge) {
  const [many, single] = [{ subject: more.inTurn }, { subject: less.alone }]
  for (const { subject } of [many, single]) await runFor(subject, 1, WARM_UP_MS)
  return await measureHalf(many, single)
}

async function registerTools({ worker }: Stack): Promise<void> {
  const add = (id: string, tier: string) =>
    worker.registerFunction(id, (payload: unknown) => payload, {
      description: DESCRIPTION,
      request_format: REQUEST_FORMAT,
      metadata: { mcp: { expose: true, tier } },
    })
  for (let number = 1; number <= SHARED; number += 1) add(`views::shared_${number}`, 'shared')
  for (let view = 1; view <= VIEWS; view += 1) add(`views::own_${view}`, `own-${view}`)
  await until(() => hasFunctions(worker, [`views::own_${VIEWS}`]), { what: 'the tools of all views' })
}

/** A bridge whose file has a token and a grant for each view. */
async function openBridge(stack: Stack, place: string) {
  const views = Array.from({ length: VIEWS }, (_, at) => {
    const token = inventToken()
    const hash = toTokenHash(token)
    return { name: `view-${at + 1}`, token, hash: [hash], tiers: ['shared', `own-${at + 1}`] }
  })
  const auth = {
    mode: 'required',
    tokens: views.map(({ name, hash }) => ({ name, hash, grant: name })),
    grants: Object.fromEntries(views.map(({ name, tiers }) => [name, { tiers }])),
  }
  const { child, name, url } = await startOwnBridge(stack, place, () => ({ auth }))
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const headers = views.map(({ token }) => ({ accept: 'application/json', authorization: `Bearer ${token}` }))
  await until(() => areApart(url, list, headers), { what: `${name} to list for each view its own` })
  let turn = 0
  const toSubject = (tell: () => (typeof headers)[number]): BenchSubject => ({
    ...{ name, pid: child.pid },
    run: createHttpCaller(url, list, tell),
  })
  const [first = { accept: '', authorization: '' }] = headers
  return {
    child,
    alone: toSubject(() => first),
    inTurn: toSubject(() => headers[turn++ % headers.length] ?? first),
  }
}

async function areApart(url: string, list: object, callers: readonly Readonly<Record<string, string>>[]) {
  const own = callers.map(async (caller, at) => {
    const headers = { 'content-type': 'application/json', ...caller }
    const { result } = (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(list) })).json()) as {
      result?: { tools: readonly { name: string }[] }
    }
    const names = result?.tools.map((tool) => tool.name) ?? []
    return names.length === SHARED + 1 && names.includes(`views__own_${at + 1}`)
  })
  return (await Promise.all(own)).every(Boolean)
}
