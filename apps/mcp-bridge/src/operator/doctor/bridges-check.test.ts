import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { askBridges } from '../../neighbours/asking.ts'
import type { BridgeOptions } from '../../options.ts'
import { startBridge } from '../../testing/bridge.ts'
import { runCommand } from '../../testing/command.ts'
import { runDoctor } from '../../testing/diagnose.ts'
import { createFolder } from '../../testing/folder.ts'
import { untilAnswer } from '../../testing/until.ts'

const asking: Partial<BridgeOptions> = { auth: AuthBlock.parse({ mode: 'required' }) }
const off: Partial<BridgeOptions> = { auth: AuthBlock.parse({ mode: 'off' }) }

/** An engine whose HTTP port networks reach, with bridges that came one after the other. */
async function stageBridges(...all: Partial<BridgeOptions>[]) {
  const engine = await startMockEngine({ host: '0.0.0.0' })
  const url = engine.url.replace('0.0.0.0', '127.0.0.1')
  const bridges: AsyncDisposable[] = []
  for (const options of all) bridges.push(await startBridge({ url, httpUrl: engine.httpUrl }, { options }))
  return {
    look: (...words: string[]) => runDoctor(url, words, { addresses: () => ['127.0.0.2'] }),
    explain: () => runCommand(['explain', '--json'], { env: { III_URL: url } }),
    /** What all of them tell of themselves. */
    told: async () => {
      const worker = registerWorker(url, { name: 'asking', log: createLog({ name: 'asking', level: 'silent' }) })
      try {
        return await askBridges((function_id, payload) => worker.trigger({ function_id, payload }))
      } finally {
        await worker.shutdown()
      }
    },
    remark: async () => (await runCommand(['explain'], { env: { III_URL: url } })).stderr,
    async [Symbol.asyncDispose]() {
      await Promise.all(bridges.map((bridge) => bridge[Symbol.asyncDispose]()))
      await engine.close()
    },
  }
}

describe('of several bridges', () => {
  it('the one that answers is judged, whichever the engine lists first', async () => {
    for (const [first, last, verdict] of [
      [off, asking, 'ok'],
      [asking, off, 'warning'],
    ] as const) {
      await using stage = await stageBridges(first, last)
      const { of } = await stage.look()
      expect(of('http exposure').verdict).toBe(verdict)
      expect(of('tokens').verdict).toBe(last === asking ? 'ok' : 'skipped')
      expect(of('bridges')).toMatchObject({
        verdict: 'problem',
        summary: '2 bridges run, at /mcp',
        details: [
          expect.stringMatching(
            /^.*worker 'mcp'.* on standby at \/mcp asks .*, and .*worker 'mcp'.* at \/mcp asks .*$/,
          ),
        ],
      })
    }
  })

  it('one is named that says nothing of who may ask, and answers nothing beside one that asks', async () => {
    for (const [first, last, verdict, answers] of [
      [asking, {}, 'problem', 'at /mcp answers nothing'],
      [{}, asking, 'warning', 'on standby at /mcp would answer nothing'],
    ] as const) {
      await using stage = await stageBridges(first, last)
      const isShut = (text = '') => text.includes(`${answers}: it says nothing of who may ask`)
      const result = await untilAnswer(stage.look, ({ of }) => (of('bridges').details ?? []).some(isShut))
      expect([result.of('http exposure').verdict, result.of('bridges')]).toMatchObject([
        'ok',
        { verdict, details: [expect.anything()] },
      ])
    }
  })

  it('one that is open at a path of its own is named', async () => {
    await using stage = await stageBridges({ apiPath: '/open' }, asking)
    const { code, of } = await stage.look()
    expect(code).toBe(1)
    expect(of('http exposure')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('can call every tool that clients see at /open, and nobody is asked'),
    })
    expect(of('bridges')).toMatchObject({
      verdict: 'ok',
      summary: '2 bridges run, at /mcp, /open',
      details: [expect.stringMatching(/ works with other settings than .*: auth$/)],
    })
    // A path says which is meant, and nothing of what it shows.
    expect([(await stage.look('--api-path', '/open')).of('tokens').verdict, of('tokens').verdict]).toEqual([
      'skipped',
      'ok',
    ])
  })

  it('those with other settings are told by explain', async () => {
    await using stage = await stageBridges({ tier: 'ops' }, { tier: 'user', requireExpose: true })
    expect(JSON.parse((await stage.explain()).stdout)).toMatchObject({ settings: { tier: 'user' } })
    expect(await stage.remark()).toMatch(
      /^by the settings of the bridge that runs over HTTP; with other settings run .* on standby at \/mcp \(require_expose, tier\)\n/,
    )
  })

  it('one is named that takes other tokens by the same names, and none of their hashes is told', async () => {
    const hash = (letter: string) => `sha256:${letter.repeat(64)}`
    const take = (...hashes: string[]): Partial<BridgeOptions> => ({
      auth: AuthBlock.parse({ tokens: [{ name: 'ci', hash: hashes, grant: 'all' }], grants: { all: {} } }),
    })
    await using stage = await stageBridges(take(hash('a'), hash('b')), take(hash('c')))
    const bridges = (await stage.look()).of('bridges')
    expect(bridges).toMatchObject({
      verdict: 'warning',
      details: [
        expect.stringMatching(/ on standby at \/mcp works with other settings than .* at \/mcp: auth\.tokens$/),
      ],
    })
    expect(JSON.stringify(await stage.told())).not.toMatch(/a{16}|b{16}|c{16}/)
    await using same = await stageBridges(take(hash('a'), hash('b')), take(hash('b'), hash('a')))
    expect((await same.look()).of('bridges').verdict).toBe('ok')
  })

  it('all may work with the same settings', async () => {
    await using stage = await stageBridges(asking, asking)
    expect((await stage.look()).of('bridges')).toMatchObject({ verdict: 'ok', details: [] })
  })
})

describe('a bridge that runs', () => {
  it('is held against the settings that are given', async () => {
    await using stage = await stageBridges({ tier: 'ops' })
    await using folder = await createFolder()
    const file = await folder.write('mcp.yaml', 'tier: ops\nauth: { mode: required }\n')
    const { of } = await stage.look('--config', file)
    expect(of('http exposure').verdict).toBe('problem')
    expect(of('bridges')).toMatchObject({
      verdict: 'problem',
      details: [expect.stringMatching(/ at \/mcp runs with other settings than those given here: auth$/)],
      advice: [expect.stringContaining('--config')],
    })
  })

  it('may give callers without a token a grant', async () => {
    const anonymous = { mode: 'required', grants: { public: {} }, anonymous: { grant: 'public' } }
    await using stage = await stageBridges({ auth: AuthBlock.parse(anonymous) })
    expect((await stage.look()).of('http exposure')).toMatchObject({
      verdict: 'ok',
      summary: expect.stringMatching(/, and it gives callers without a token a grant$/),
    })
  })
})
