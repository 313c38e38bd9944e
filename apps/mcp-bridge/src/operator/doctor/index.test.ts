import { type MockEngine, type MockEngineOptions, startMockEngine } from '@iii/mock-engine'
import { Fault, skillsFunctions } from '@iii/protocol'
import { createLog, registerWorker, serveContract, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { type BridgeSetup, startBridge } from '../../testing/bridge.ts'
import { runCommand } from '../../testing/command.ts'
import { runDoctor } from '../../testing/diagnose.ts'
import { startSkillsWorker } from '../../testing/skills-worker.ts'

async function startStage({ setup, ...options }: MockEngineOptions & { setup?: BridgeSetup } = {}) {
  const engine = await startMockEngine(options)
  const bridge = await startBridge(engine, setup)
  return {
    engine,
    bridge,
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

async function connect(engine: MockEngine, name: string): Promise<Worker> {
  const worker = registerWorker(engine.url, { name, log: createLog({ name, level: 'silent' }) })
  await worker.ready()
  return worker
}

describe('doctor', () => {
  it('finds a whole stage well, in words and as JSON', async () => {
    await using stage = await startStage()
    await using _ = await startSkillsWorker(stage.engine.url)
    const { code, of } = await runDoctor(stage.engine.url, [], { nodeVersion: '22.1.0', node: '/opt/node' })
    expect(code).toBe(0)
    expect(of('node')).toMatchObject({ verdict: 'ok', summary: 'Node 22.1.0 at /opt/node' })
    expect(of('configuration').verdict).toBe('ok')
    expect(of('engine').summary).toMatch(/^engine 0\.22\.1 at ws:\/\/127\.0\.0\.1:\d+$/)
    expect(of('http').summary).toMatch(/^the engine answers at http:\/\/127\.0\.0\.1:\d+$/)
    expect(of('route')).toMatchObject({ verdict: 'ok', summary: "probably worker 'mcp' serves /mcp" })
    expect(of('health')).toMatchObject({
      verdict: 'ok',
      summary: expect.stringMatching(/^probes at \/mcp\/health are told that it is (ready|degraded: No skills)/),
    })
    expect(of('registry').summary).toContain("worker 'skills' answers: 2 resources and 0 prompts")
    expect(of('state').verdict).toBe('ok')
    expect(of('http exposure')).toMatchObject({ verdict: 'ok' })
    // Nothing on the engine keeps web pages from its worker port.
    expect(of('bus exposure')).toMatchObject({ verdict: 'warning', summary: expect.stringContaining('any web page') })

    const { stdout } = await runCommand(['doctor'], { env: { III_URL: stage.engine.url, NO_COLOR: '1' }, columns: 80 })
    expect(stdout).toMatch(/^ok {7}engine +engine 0\.22\.1 at ws/m)
    expect(stdout).toMatch(/^warning +bus exposure .*\n( {24}\S.*\n)* {24}→ give iii-worker-manager/m)
    expect(stdout).toMatch(/\n\n2 warnings\n$/)
    // A path that is longer than a line stays whole.
    const lines = stdout.split('\n').filter((line) => !line.includes(process.execPath))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('names an engine that does not answer, checks the rest, and prints no secrets', async () => {
    await using engine = await startMockEngine()
    // Each gives an engine five seconds to come.
    const [{ code, of, text }, other] = await Promise.all([
      runDoctor('ws://user:secret@127.0.0.1:9/?token=secret', [], { nodeVersion: '18.20.1' }),
      runDoctor(engine.httpUrl.replace('http', 'ws')),
    ])
    expect(code).toBe(4)
    expect(of('engine')).toMatchObject({
      verdict: 'problem',
      summary: 'no engine answers at ws://127.0.0.1:9 (connect ECONNREFUSED 127.0.0.1:9)',
      advice: ['start it, or name another with --url or III_URL'],
    })
    expect(of('node')).toMatchObject({ verdict: 'problem', advice: ['install Node 20.19 or newer'] })
    for (const check of ['http', 'route', 'registry', 'state', 'http exposure', 'bus exposure']) {
      expect(of(check)).toMatchObject({ verdict: 'skipped', summary: 'needs the engine' })
    }
    expect(text).not.toContain('secret')
    expect([other.code, other.of('engine').advice]).toEqual([
      4,
      [
        expect.stringMatching(
          /it is its HTTP port: workers and commands connect to the port of iii-worker-manager, which is 49134/,
        ),
        'start it, or name another with --url or III_URL',
      ],
    ])
  })

  it.each([
    ['0.21.9', 'problem', 'older than 0.22.1'],
    ['0.22.1', 'ok', 'engine 0.22.1'],
    ['0.22.9', 'ok', 'engine 0.22.9'],
    ['0.24.4', 'problem', 'newer than 0.23 and not supported yet'],
    ['1.0.0', 'problem', 'newer than 0.23 and not supported yet'],
    [undefined, 'warning', 'does not say its version'],
  ])('judges an engine of version %s: %s', async (version, verdict, summary) => {
    await using stage = await startStage()
    stage.bridge.other.registerFunction('engine::health::check', () => ({ status: 'healthy', version }))
    await stage.bridge.other.ready()
    const { of } = await runDoctor(stage.engine.url)
    expect(of('engine')).toMatchObject({ verdict, summary: expect.stringContaining(summary) })
  })
})

describe('the route', () => {
  it('may have nobody yet', async () => {
    await using engine = await startMockEngine()
    const { code, of } = await runDoctor(engine.url)
    expect(code).toBe(0)
    expect(of('route')).toMatchObject({ verdict: 'warning', summary: 'no bridge serves /mcp' })
    expect(of('health').verdict).toBe('skipped')
    expect(of('registry').verdict).toBe('warning')
  })

  it('may be taken by another worker, which is named', async () => {
    await using stage = await startStage()
    const thief = await connect(stage.engine, 'thief')
    thief.registerFunction('thief::serve', () => ({ status_code: 200, body: { stolen: true } }))
    thief.registerTrigger({
      type: 'http',
      function_id: 'thief::serve',
      config: { api_path: 'mcp', http_method: 'POST' },
    })
    await thief.ready()
    const { code, of } = await runDoctor(stage.engine.url)
    expect(code).toBe(1)
    expect(of('route')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(/thief::serve \(probably of thief\) answers at \/mcp .*worker 'mcp'/),
      advice: [expect.stringContaining('--api-path')],
    })
    await thief.shutdown()
    expect((await runDoctor(stage.engine.url)).of('route')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('nothing is routed at /mcp'),
    })
  })

  it('may be that of another engine, whose HTTP port this one could not have', async () => {
    await using stage = await startStage()
    await using second = await startMockEngine()
    const shadow = await connect(second, 'shadow')
    const value = { host: '127.0.0.1', port: Number(new URL(stage.engine.httpUrl).port) }
    shadow.registerFunction('configuration::get', () => ({ value }))
    await shadow.ready()
    expect((await runDoctor(second.url)).of('route')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('its function is not on this engine'),
      advice: [expect.stringContaining("'already in use'"), expect.stringContaining('--url')],
    })
    expect((await runDoctor(second.url, ['--api-path', '/mcp/other'])).of('route').verdict).toBe('warning')
    await shadow.shutdown()
  })

  it('may be that of a bridge that its configuration locks, or of another path', async () => {
    await using stage = await startStage({
      setup: { options: { apiPath: '/team/mcp' }, locked: 'line 3: tier: must be a text' },
    })
    expect((await runDoctor(stage.engine.url)).of('route').summary).toBe('no bridge serves /mcp')
    expect((await runDoctor(stage.engine.url, ['--api-path', 'team/mcp'])).of('route')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('line 3: tier: must be a text'),
    })
  })

  it('tells whose it is by the card of the process', async () => {
    await using stage = await startStage()
    const twin = registerWorker(stage.engine.url, {
      name: 'mcp',
      version: '9.9.9',
      log: createLog({ name: 'mcp', level: 'silent' }),
      watchOwnership: true,
    })
    twin.registerFunction('mcp::handler', () => ({ status_code: 500, body: {} }))
    await twin.ready()
    await expect
      .poll(async () => (await runDoctor(stage.engine.url)).of('route').summary)
      .toContain(`and not worker 'mcp' (id ${twin.workerId}, version 9.9.9, pid ${process.pid} on `)
    await twin.shutdown()
  })
})

describe('what hangs or fails', () => {
  it('does not keep the other checks', async () => {
    await using stage = await startStage()
    using _ = stage.engine.inject({ fault: 'lose-result', function: 'engine::functions::info' })
    const { code, of } = await runDoctor(stage.engine.url)
    expect(code).toBe(1)
    expect(of('route').verdict).toBe('problem')
    expect(of('registry').verdict).toBe('problem')
    expect(['engine', 'http', 'state', 'http exposure'].map((check) => of(check).verdict)).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
    ])
  })

  it('is a registry whose store does not answer', async () => {
    await using stage = await startStage()
    serveContract(stage.bridge.other, skillsFunctions.resourcesList, () => {
      throw new Fault('unavailable', 'the state store does not answer')
    })
    await stage.bridge.other.ready()
    expect((await runDoctor(stage.engine.url)).of('registry')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('the state store does not answer'),
    })
  })

  it('is an engine without state, or without an HTTP port that answers', async () => {
    await using stage = await startStage()
    const shadow = await connect(stage.engine, 'shadow')
    shadow.registerFunction('state::get', () => null)
    await shadow.ready()
    await shadow.shutdown()
    using _ = stage.engine.inject({ fault: 'refuse-http' })
    const { code, of } = await runDoctor(stage.engine.url)
    expect(code).toBe(1)
    expect(of('state')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringContaining('sessions end with the bridge'),
    })
    expect(of('http')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('nothing answers at http://127'),
    })
    expect(of('route').verdict).toBe('skipped')
  })
})
