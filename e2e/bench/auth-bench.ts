import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { createHttpCaller } from './http-caller.ts'
import { type BenchSubject, runFor } from './measure.ts'
import { PAYLOAD } from './payload.ts'
import { formatHalves, measureHalf } from './swapped-halves.ts'

const WARM_UP_MS = 2_000

/** What a tools/call costs where callers need a token of the file, beside the same where nobody is asked, in rounds that take turns. */
export async function measureAuth(): Promise<string> {
  const { use, run } = createCleanup()
  try {
    const folder = use(await createTempFolder()).path
    const stack = use(await startStack({ workers: [] }))
    stack.worker.registerFunction('auth::echo', (payload: unknown) => payload)
    await until(() => hasFunctions(stack.worker, ['auth::echo']), { what: 'auth::echo' })
    const sides = [await openSide(stack, join(folder, 'one')), await openSide(stack, join(folder, 'other'))] as const
    for (const side of sides) use(side.child)
    const [one, other] = sides
    const halves = [await measureAsking(one, other), await measureAsking(other, one)]
    return formatHalves('bridge: tools/call with a token of the file, beside the same without auth', halves)
  } finally {
    await run()
  }
}

type OpenSide = Awaited<ReturnType<typeof openSide>>

async function measureAsking(asking: OpenSide, open: OpenSide) {
  await asking.set(true)
  await open.set(false)
  for (const { subject } of [asking, open]) await runFor(subject, 1, WARM_UP_MS)
  return await measureHalf(asking, open)
}

/** A bridge at a path of its own. Both are sent the same header, so that the engine has the same to do for both. */
async function openSide({ engineUrl, httpUrl }: Stack, place: string) {
  const token = `iii-bench-${randomBytes(24).toString('hex')}`
  const hash = `sha256:${createHash('sha256').update(token).digest('hex')}`
  const block = { mode: 'required', tokens: [{ name: 'bench', hash: [hash], grant: 'all' }], grants: { all: {} } }
  const [file, path] = [`${place}.yaml`, place.slice(place.lastIndexOf('/') + 1)]
  await writeFile(file, JSON.stringify({ auth: block }))
  const child = startChild(bridgeProgram(engineUrl, ['--config', file, '--api-path', path]))
  await child.line(/"msg":"ready"/)
  const url = `${httpUrl}/${path}`
  const params = { name: 'auth__echo', arguments: PAYLOAD }
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const subject: BenchSubject = { name: path, pid: child.pid, run: createHttpCaller(url, message, headers) }
  const statusOf = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
  }
  return {
    child,
    subject,
    async set(asks: boolean) {
      await writeFile(file, JSON.stringify({ auth: asks ? block : { mode: 'off' } }))
      await until(async () => (await statusOf()) === (asks ? 401 : 200), { what: `${path} to ask: ${asks}` })
    },
  }
}
