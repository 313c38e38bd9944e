import { type MockEngineOptions, startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../../testing/bridge.ts'
import { runDoctor } from '../../testing/diagnose.ts'
import { untilAnswer } from '../../testing/until.ts'

const log = createLog({ name: 'test', level: 'silent' })

/** An engine, and what a test connects to it. */
async function stage(options: MockEngineOptions = {}) {
  const engine = await startMockEngine({ engine: '0.23', ...options })
  const workers: AsyncDisposable[] = []
  return {
    engine,
    async connect(name: string, functionIds: readonly string[] = [], watchOwnership = true) {
      const worker = registerWorker(engine.url, { name, log, watchOwnership })
      for (const id of functionIds) worker.registerFunction(id, () => null)
      await worker.ready({ timeoutMs: 5_000 })
      workers.push(worker)
      return worker
    },
    find: async (check: string, ...words: string[]) => (await runDoctor(engine.url, words)).of(check),
    async [Symbol.asyncDispose]() {
      for (const worker of workers) await worker[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

describe('the doctor of a bridge', () => {
  it('finds name and functions free, and with one process', async () => {
    await using on = await stage()
    expect(await on.find('names')).toMatchObject({
      verdict: 'ok',
      summary: "nobody else has the name 'mcp', or functions of the bridge",
    })
    await on.connect('mcp', ['mcp::handler'])
    expect(await on.find('names')).toMatchObject({
      verdict: 'ok',
      summary: expect.stringMatching(/^worker 'mcp' \(id .*\) has name and functions$/),
    })
  })

  it('warns of a worker that has its name and nothing else', async () => {
    await using on = await stage()
    const { workerId } = await on.connect('mcp')
    expect(await on.find('names')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringContaining(`a worker (id ${workerId}) has the name 'mcp' and none of the functions`),
      advice: [expect.stringContaining('III_WORKER_NAME')],
    })
    expect(await on.find('names', '--namespace', 'orders')).toMatchObject({ verdict: 'ok' })
  })

  it('warns where name and functions are those of two', async () => {
    await using on = await stage()
    const holder = await on.connect('mcp')
    const serving = await on.connect('mcp', ['mcp::handler'])
    expect(await on.find('names')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringContaining(
        `the name 'mcp' is that of a worker (id ${holder.workerId}), and the functions are those of worker 'mcp-${serving.instance.slice(0, 8)}'`,
      ),
    })
  })

  it('says where a bridge lives and what it shows', async () => {
    await using on = await stage()
    expect(await on.find('namespaces')).toMatchObject({ verdict: 'ok', summary: "it lives in the namespace 'default'" })
    expect(await on.find('namespaces', '--namespace', 'orders', '--namespaces', 'shop,default')).toMatchObject({
      verdict: 'ok',
      summary: "it lives in the namespace 'orders', and shows shop, default beside it",
    })
    expect(await on.find('namespaces', '--namespace', 'Or.ders')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringContaining("the namespace 'Or.ders' has more than small letters"),
    })
  })

  it('knows a bridge of another namespace from one of another engine', async () => {
    await using on = await stage()
    await using _bridge = await startBridge(on.engine)
    const route = (...words: string[]) => on.find('route', ...words)
    await untilAnswer(route, ({ verdict }) => verdict === 'ok')
    expect(await route('--namespace', 'orders')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(
        /^the bridge that answers at \/mcp is in the namespace 'default', and none in 'orders'/,
      ),
      advice: [expect.stringContaining('--api-path')],
    })
  })

  it('counts the tools of all namespaces that are shown', async () => {
    await using on = await stage()
    await on.connect('shop', ['shop::sell'])
    await on.connect('orders', ['orders::create', 'orders::cancel'])
    const words = ['--namespace', 'desk', '--namespaces', 'default']
    expect(await on.find('tools', ...words)).toMatchObject({
      verdict: 'ok',
      summary: expect.stringMatching(/^a client sees \d+ tools over stdio and 3 over HTTP/),
    })
  })

  it('warns of an engine that waits too short for workers to say where they live', async () => {
    await using on = await stage({ namespaceGraceMs: 50 })
    expect(await on.find('namespaces')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringContaining('the engine waits less than 1 s for a worker to say where it lives'),
      advice: [expect.stringContaining('III_NAMESPACE_GRACE_MS')],
    })
  })

  it('warns of a namespace on an engine without any', async () => {
    await using on = await stage({ engine: '0.22' })
    expect(await on.find('namespaces')).toMatchObject({
      verdict: 'ok',
      summary: 'this engine has no namespaces: everything is in one place',
    })
    expect(await on.find('namespaces', '--namespace', 'orders')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringContaining("this engine has no namespaces: what is meant for 'orders'"),
    })
  })
})
