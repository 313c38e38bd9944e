import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AuditRow, createAuditWitness, readAuditLines, sumOfRows } from '../audit-witness.ts'
import type { Child } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { toStateless } from '../stateless.ts'
import { startStdio } from '../stdio-process.ts'
import { askAs } from '../token-callers.ts'
import { runTokenCreate } from '../token-command.ts'
import { until } from '../until.ts'

const CANARY = 'hunter2-canary'
const cleanup = createCleanup()
const { batches, listen, told } = createAuditWitness()
const shared = useEmptyStack((worker) => {
  worker.registerFunction('audited::work', ({ say }: { say: string }) => ({ said: say }))
})
let file: string
let token: string
let bridge: Child

beforeAll(async () => {
  const { worker, engineUrl } = shared.stack
  const made = await runTokenCreate('ci')
  token = made.token
  file = join(shared.folder, 'audit.yaml')
  bridge = cleanup.use(await startConfiguredBridge(engineUrl, file, made.block))
  listen(worker, 'audited::on-call')
  await worker.ready()
  const isTold = async () => {
    await post('tools/call', { name: 'probe' })
    return told({ tool: 'probe' }).length > 0
  }
  await until(isTold, { what: 'calls to be told' })
})
afterAll(() => cleanup.run())

const post = (method: string, params: object, headers?: Readonly<Record<string, string>>) =>
  askAs(token, shared.stack.mcpUrl, method, params, headers)

/** Lines of the log come a moment after the answer. */
const untilLogged = (lines: () => readonly string[], what: AuditRow) =>
  until(
    () => {
      const rows = readAuditLines(lines(), what)
      return rows.length > 0 && rows
    },
    { what: `${JSON.stringify(what)} to be logged` },
  )

const input = (say: string) => ({ name: 'audited__work', arguments: { say: `${CANARY} ${say}` } })

scenario(['audit/who'], 'each call is one record with its principal, in both eras and over stdio', async () => {
  const opened = await post('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
  const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
  await post('tools/call', input('session'), session)
  const { headers, params } = toStateless('tools/call', input('stateless'))
  await post('tools/call', params, headers)
  await using stdio = startStdio(stdioBridge(shared.stack.engineUrl, ['--config', file]))
  await stdio.request('tools/call', input('stdio'))

  for (const era of ['session', 'stateless']) {
    const rows = await untilLogged(() => bridge.stderr, { tool: 'audited__work', era })
    expect(rows).toEqual([
      expect.objectContaining({ principal: 'token:ci', auth: 'token', decision: 'allow', outcome: 'ok' }),
    ])
    const heard = await until(async () => told({ call_id: rows[0]?.['call_id'] })[0], { what: `${era} to be told` })
    const { bytes_in, bytes_out, trace_id } = rows[0] ?? {}
    const same = { bytes_in, bytes_out, ...(trace_id !== undefined && { trace_id }) }
    expect(heard).toMatchObject({ principal: 'token:ci', auth: 'token', era, decision: 'allow', ...same })
    expect(heard?.['tool']).toBe('audited__work')
  }
  const rows = await untilLogged(() => stdio.stderr().split('\n').slice(0, -1), { tool: 'audited__work' })
  const local = { principal: 'local', auth: 'stdio', outcome: 'ok' }
  expect(rows).toEqual([expect.objectContaining(local)])
  const heard = await until(async () => told({ call_id: rows[0]?.['call_id'] })[0], { what: 'that to be told' })
  expect(heard).toMatchObject({ ...local, tool: 'audited__work' })
  const seqs = readAuditLines(bridge.stderr, {}).map(({ seq }) => seq)
  expect(seqs).toEqual(seqs.map((_, at) => at + 1))
  expect(bridge.stderr.join() + stdio.stderr() + JSON.stringify(batches)).not.toContain(CANARY)
})

scenario(['audit/denied'], 'who is not let in is told of, and no token is in anything', async () => {
  for (let n = 0; n < 200; n++) await askAs(`${CANARY}${n}`, shared.stack.mcpUrl, 'ping')
  const isLimit = ({ code }: AuditRow) => code === 'too-many-failures' || code === 'unknown-token'
  const count = (rows: readonly AuditRow[]) => sumOfRows(rows.filter(isLimit))
  await until(async () => count(readAuditLines(bridge.stderr, { kind: 'auth' })) >= 200, { what: 'all to be logged' })
  await until(async () => count(told({ kind: 'auth' })) >= 200, { what: 'all to be told' })
  const rows = readAuditLines(bridge.stderr, { kind: 'auth', code: 'unknown-token' })
  expect(rows[0]).toMatchObject({ decision: 'auth', outcome: 'refused' })
  expect(count(readAuditLines(bridge.stderr, { kind: 'auth' }))).toBe(200)
  const all = bridge.stderr.join() + JSON.stringify(batches)
  for (const secret of [CANARY, token]) expect(all).not.toContain(secret)
})
