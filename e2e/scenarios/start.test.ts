import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { isAlive, runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectClient } from '../clients.ts'
import { type Demo, expectAllGone, FREE_PORTS, startDemo, startProgram } from '../demo.ts'
import { runInspector } from '../inspector.ts'
import { fixtureServer, readPids } from '../mcp-servers/fixture.ts'
import { expectGone } from '../mcp-servers/stage.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'

const pnpm = new URL('../../node_modules/pnpm/bin/pnpm.cjs', import.meta.url)
const TEA = { currency: 'EUR', lines: [{ sku: 'TEA', quantity: 3, unit_price: 450 }] }

const cleanup = createCleanup()
let home: string
let data: string
/** The `start` that is left running in its terminal, until the scenario that stops it; as everybody runs it, without what the test run has. */
let demo: Demo

beforeAll(async () => {
  home = cleanup.use(await createTempFolder()).path
  data = join(home, 'data')
  demo = cleanup.use(await startDemo(['--', ...FREE_PORTS, '--data', data, '--allow-run'], { fromSource: true }))
})
afterAll(() => cleanup.run())

scenario(['start/serves'], 'an MCP client in another terminal lists and uses everything', async () => {
  expect(new Set(demo.pids).size).toBe(6)
  expect(demo.pids.every(isAlive)).toBe(true)
  await using client = await connectClient('sdk 1.x', demo.mcpUrl)
  expect((await client.listTools()).map(({ name }) => name)).toContain('orders__create')
  const created = await client.callTool('orders__create', { ...TEA, customer: 'Ada' })
  const { id } = created.structuredContent as { id: string }
  expect((await client.listResources()).map(({ uri }) => uri)).toContain('iii://orders/refunds')
  expect((await client.readResource('iii://fn/orders/status'))[0]?.text).toContain('there are 1 orders')
  expect(JSON.stringify(await client.getPrompt('refund-order', { order_id: id }))).toContain('13.50 EUR')
})

scenario(['start/allow-run'], 'a client runs the job of the sample worker, and reads what came of it', async () => {
  await using client = await connectClient('sdk 1.x', demo.mcpUrl)
  const run = await client.callTool('runs__run_job', { job: 'orders-summary', input: { title: 'Today' } })
  expect(run.structuredContent).toMatchObject({ status: 'passed', exit_code: 0, tasks: { length: 4 } })
  const [last] = ((await client.callTool('runs__list_runs', { kind: 'run' })).structuredContent as { runs: object[] })
    .runs
  expect(last).toMatchObject({ job: 'orders-summary', status: 'passed' })
})

scenario(['start/mcp-servers'], 'a client sees and uses the tools of the MCP server that start brings', async () => {
  await using client = await connectClient('client 2.x', demo.mcpUrl)
  const names = (await client.listTools()).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['notes__add', 'notes__find', 'notes__count']))
  expect((await client.callTool('notes__add', { text: 'Water the plants' })).content[0]?.text).toMatch(/^Note \d+/)
  const counted = await client.callTool('notes__count')
  expect(counted.structuredContent).toMatchObject({ notes: expect.any(Number), words: expect.any(Number) })
})

scenario(['start/next-steps'], 'the printed text says what to do next', async () => {
  await demo.child.line(/^Ctrl-C stops everything\.$/)
  expect(demo.child.stdout).toContain(
    `npx -y @modelcontextprotocol/inspector --cli --transport http ${demo.mcpUrl} --method tools/list`,
  )
  const block = demo.child.stdout.find((line) => line.startsWith('{'))
  expect(JSON.parse(block ?? '')).toEqual({ mcpServers: { iii: { type: 'http', url: demo.mcpUrl } } })
})

scenario(['start/mcp-servers'], 'the servers of a file run instead of the sample one', async () => {
  const file = join(home, 'servers.yaml')
  const wrong = await runToEnd(startProgram([...FREE_PORTS, '--mcp-servers', file]))
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`There is no file ${file}`) })
  await writeFile(file, JSON.stringify({ servers: { mine: fixtureServer(home, 'honest') } }))
  await using other = await startDemo([...FREE_PORTS, '--mcp-servers', file])
  await using client = await connectClient('sdk 1.x', other.mcpUrl)
  const listNames = async () => (await client.listTools()).map(({ name }) => name)
  await until(async () => (await listNames()).includes('mine__echo'), { what: 'the tools of the server' })
  expect((await listNames()).filter((name) => name.startsWith('notes__'))).toEqual([])
  await other.child.stop(10_000)
  await expectGone(readPids(home))
})

const inspections: readonly [string[], RegExp][] = [
  [['--method', 'tools/list'], /"name": "orders__create".*"title": "Create an order"/s],
  [
    ['--method', 'tools/call', '--tool-name', 'orders__list', '--tool-arg', 'customer=Ada'],
    /"structuredContent".*"customer": "Ada"/s,
  ],
  [['--method', 'resources/list'], /"uri": "iii:\/\/orders\/refunds"/],
  [['--method', 'resources/read', '--uri', 'iii://fn/orders/status'], /# Orders right now/],
  [['--method', 'prompts/list'], /"name": "refund-order"/],
  [
    ['--method', 'prompts/get', '--prompt-name', 'refund-order', '--prompt-args', 'order_id=ORD-0000000000'],
    /There is no order ORD-0000000000\./,
  ],
]
for (const [args, shown] of inspections) {
  scenario(['inspector/cli'], `the Inspector does ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await runInspector(demo.mcpUrl, home, args)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(shown)
  })
}

scenario(['start/port-taken'], 'a second start names the taken port and starts nothing', async () => {
  const httpPort = new URL(demo.mcpUrl).port
  const enginePort = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(demo.child.stdout.join('\n'))?.[1] ?? ''
  const http = await runToEnd(startProgram(['--http-port', httpPort, '--engine-port', '0']))
  expect(http).toMatchObject({ code: 1, stdout: '' })
  expect(http.stderr).toContain(
    `Port ${httpPort} for HTTP is taken by another program. Choose another one: --http-port `,
  )
  expect(http.stderr).toContain('Nothing was started.')
  const engine = await runToEnd(startProgram(['--http-port', '0', '--engine-port', enginePort]))
  expect(engine).toMatchObject({ code: 1, stdout: '' })
  expect(engine.stderr).toContain(
    `Port ${enginePort} for the engine is taken by another program. Choose another one: --engine-port `,
  )
  expect(demo.pids.every(isAlive)).toBe(true)
})

scenario(
  ['start/last-word'],
  'Ctrl-C, which every process of the command hears, ends without a complaint',
  async () => {
    const args = ['start', ...FREE_PORTS]
    const child = startChild({
      name: 'pnpm',
      entry: pnpm,
      args,
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
    })
    try {
      await child.line(/^Ready: /, 60_000)
      process.kill(-child.pid, 'SIGINT')
      expect(await child.exited).toEqual({ code: 0, signal: null })
      expect(child.stdout.filter((line) => line !== '').at(-1)).toBe('Stopped.')
      expect([...child.stdout, ...child.stderr].join('\n')).not.toMatch(/ELIFECYCLE|failed/)
    } finally {
      if (child.running) process.kill(-child.pid, 'SIGKILL')
    }
  },
)

scenario(['start/flags'], 'a wrong flag is answered with the right one, help with all of them', async () => {
  const wrong = await runToEnd(startProgram(['--http-prot', '4000']))
  const stderr = "Unknown flag --http-prot: did you mean --http-port?\nTry 'start --help'."
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr })
  // However the flags come through the package manager.
  for (const words of [['--http-prot'], ['--', '--http-prot']]) {
    const args = ['start', ...words, '4000']
    const relayed = await runToEnd({
      name: 'pnpm',
      entry: pnpm,
      args,
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
    })
    expect(relayed.code).not.toBe(0)
    expect(relayed.stderr).toContain('Unknown flag --http-prot: did you mean --http-port?')
  }
  const help = await runToEnd(startProgram(['--help']))
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('--engine-port PORT')
})

scenario(['start/stop'], 'Ctrl-C stops everything and leaves no process behind', async () => {
  demo.child.signal('SIGINT')
  expect(await demo.child.exited).toEqual({ code: 0, signal: null })
  expect(demo.pids.filter(isAlive)).toEqual([])
  await expectAllGone(demo)
  expect(demo.child.stdout.slice(-2)).toEqual(['Stopping.', 'Stopped.'])
})

scenario(
  ['start/data', 'start/part-lost'],
  'the next start has the data, and ends with the log of a part that dies',
  async () => {
    const next = cleanup.use(await startDemo([...FREE_PORTS, '--data', data]))
    const client = await connectClient('client 2.x on 2026-07-28', next.mcpUrl)
    expect((await client.callTool('orders__list')).structuredContent).toMatchObject({
      total: 1,
      orders: [{ customer: 'Ada' }],
    })
    await client[Symbol.asyncDispose]()
    const orders = Number(/orders\s+process (\d+)/.exec(next.child.stdout.join('\n'))?.[1])
    process.kill(orders, 'SIGKILL')
    expect(await next.child.exited).toEqual({ code: 1, signal: null })
    expect(next.child.stderr.join('\n')).toMatch(
      /^orders ended by itself, killed by SIGKILL\.\nIts last lines:\n {2}\| .*ready/s,
    )
    expect(next.child.stdout.at(-1)).toBe('Stopped.')
    await expectAllGone(next)
  },
)

scenario(['start/killed'], 'no process stays behind when start itself is killed', async () => {
  const next = cleanup.use(await startDemo(FREE_PORTS))
  next.child.signal('SIGKILL')
  await next.child.exited
  await expectAllGone(next)
})

scenario(['start/unread'], 'nobody reads any more while it starts, or later: it ends without a word', async () => {
  const early = cleanup.use(startChild(startProgram(FREE_PORTS)))
  const [, engine = ''] = await early.line(/engine +process (\d+)/)
  early.stopReading()
  expect(await early.exited).toEqual({ code: 0, signal: null })
  expect(early.stderr).toEqual([])
  await until(() => !isAlive(Number(engine)), { what: 'the engine to be gone' })

  const late = cleanup.use(await startDemo(FREE_PORTS))
  await late.child.line(/^Ctrl-C stops everything\.$/)
  late.child.stopReading()
  late.child.signal('SIGINT')
  expect(await late.child.exited).toEqual({ code: 0, signal: null })
  expect(late.child.stderr).toEqual([])
  await expectAllGone(late)
})
