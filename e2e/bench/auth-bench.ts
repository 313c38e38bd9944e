import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { bridgeProgram } from '../programs.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { readCpuMs } from './cpu-time.ts'
import { createHttpCaller } from './http-caller.ts'
import { compareInTurns, judgeRatios } from './interleaved.ts'
import { runFor, type Subject } from './measure.ts'
import { PAYLOAD } from './payload.ts'

/** Rounds of each half; in the other half the other bridge asks for tokens, so that no process has it better by luck. */
const ROUNDS = 15
const WARM_UP_MS = 2_000
const MOST = 1.05

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
    const halves = [await measureHalf(one, other), await measureHalf(other, one)]
    const { ratios, median, bound } = judgeRatios(halves.flatMap((half) => half.ratios))
    const cpu = halves.reduce((sum, half) => sum + half.cpu, 0) / halves.length
    return [
      '\nbridge: tools/call with a token of the file, beside the same without auth',
      `${ratios.length} rounds: median ratio ${median.toFixed(3)}, upper 95 % bound ${bound.toFixed(3)}, ${bound < MOST ? '' : 'NOT '}below ${MOST}`,
      `processor time of the bridge for a call: ${cpu.toFixed(3)} times as much\n`,
    ].join('\n')
  } finally {
    await run()
  }
}

type Side = Awaited<ReturnType<typeof openSide>>

async function measureHalf(asking: Side, open: Side): Promise<{ ratios: number[]; cpu: number }> {
  await asking.set(true)
  await open.set(false)
  for (const { subject } of [asking, open]) await runFor(subject, 1, WARM_UP_MS)
  const before = [asking, open].map(readCpu)
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) ratios.push(await compareInTurns(asking.subject, open.subject))
  const [more = Number.NaN, less = Number.NaN] = [asking, open].map((side, at) => readCpu(side) - (before[at] ?? 0))
  return { ratios, cpu: more / less }
}

function readCpu({ subject: { pid } }: { subject: Subject }): number {
  return (pid === undefined ? undefined : readCpuMs(pid)) ?? Number.NaN
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
  const subject: Subject = { name: path, pid: child.pid, run: createHttpCaller(url, message, headers) }
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
