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

/** What a tools/call costs where each is a line of the audit, beside the same without, in rounds that take turns. */
export async function measureAudit(): Promise<string> {
  const { use, run } = createCleanup()
  try {
    const folder = use(await createTempFolder()).path
    const stack = use(await startStack({ workers: [] }))
    stack.worker.registerFunction('audit::echo', (payload: unknown) => payload)
    await until(() => hasFunctions(stack.worker, ['audit::echo']), { what: 'audit::echo' })
    const [one, other] = [await openSide(stack, join(folder, 'one')), await openSide(stack, join(folder, 'other'))]
    for (const side of [one, other]) use(side.child)
    const halves = [await measureTelling(one, other), await measureTelling(other, one)]
    return formatHalves('bridge: tools/call with a line of the audit for each, beside the same without', halves)
  } finally {
    await run()
  }
}

type OpenSide = Awaited<ReturnType<typeof openSide>>

async function measureTelling(telling: OpenSide, silent: OpenSide) {
  await telling.set('calls')
  await silent.set('off')
  for (const { subject } of [telling, silent]) await runFor(subject, 1, WARM_UP_MS)
  return await measureHalf(telling, silent)
}

/** A bridge at a path of its own. */
async function openSide({ engineUrl, httpUrl }: Stack, place: string) {
  const [file, path] = [`${place}.yaml`, place.slice(place.lastIndexOf('/') + 1)]
  const write = (audit: string) => writeFile(file, JSON.stringify({ audit, auth: { mode: 'off' } }))
  await write('calls')
  const child = startChild(bridgeProgram(engineUrl, ['--config', file, '--api-path', path]))
  await child.line(/"msg":"ready"/)
  const params = { name: 'audit__echo', arguments: PAYLOAD }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const call = createHttpCaller(`${httpUrl}/${path}`, message)
  const subject: BenchSubject = { name: path, pid: child.pid, run: call }
  const countLines = () => child.stderr.filter((line) => line.includes('"audit":true')).length
  /** The line of a call may come after its reply, and that of the one before has come by then. */
  const tells = async () => {
    await call()
    const before = countLines()
    for (let count = 0; count < 5; count += 1) await call()
    return countLines() > before
  }
  return {
    child,
    subject,
    async set(audit: 'calls' | 'off') {
      await write(audit)
      await until(async () => (await tells()) === (audit === 'calls'), { what: `${path} to tell: ${audit}` })
    },
  }
}
