import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AuditRow, createAuditWitness, readAuditLines, sumOfRows } from '../audit-witness.ts'
import { type Child, runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { sendHttp } from '../http-request.ts'
import { bridgeProgram, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { startStdio } from '../stdio-process.ts'
import { until } from '../until.ts'

const CANARY = 'hunter2-canary'
const cleanup = createCleanup()
const { batches, listen, told } = createAuditWitness()
let stack: Stack
let file: string
let token: string
let bridge: Child

beforeAll(async () => {
  file = join(cleanup.use(await createTempFolder()).path, 'audit.yaml')
  stack = cleanup.use(await startStack({ workers: [] }))
  const { worker } = stack
  worker.registerFunction('audited::work', ({ say }: { say: string }) => ({ said: say }))
  const made = await runToEnd({ ...bridgeProgram(''), args: ['token', 'create', 'ci'] })
  token = made.stdout.trim()
  await writeFile(file, /^auth:\n(?: .*\n)+/m.exec(made.stderr)?.[0] ?? '')
  bridge = cleanup.use(startChild(bridgeProgram(stack.engineUrl, ['--config', file])))
  await bridge.line(/"msg":"ready"/)
  listen(worker, 'audited::on-call')
  await worker.ready()
  const isTold = async () => {
    await post('tools/call', { name: 'probe' })
    return told({ tool: 'probe' }).length > 0
  }
  await until(isTold, { what: 'calls to be told' })
})
afterAll(() => cleanup.run())

const BEARER = () => ({ authorization: `Bearer ${token}` })

async function post(method: string, params: object, headers: Record<string, string> = BEARER()) {
  const all = { 'content-type': 'application/json', accept: 'application/json', ...headers }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return sendHttp(stack.mcpUrl, { method: 'POST', headers: all, body })
}

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
  await post('tools/call', input('session'), { ...BEARER(), ...session })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'audited__work',
  }
  await post('tools/call', { ...input('stateless'), _meta }, { ...BEARER(), ...headers })
  await using stdio = startStdio(stdioBridge(stack.engineUrl, ['--config', file]))
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
  for (let n = 0; n < 200; n++) await post('ping', {}, { authorization: `Bearer ${CANARY}${n}` })
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
