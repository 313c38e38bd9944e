import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { startBridge } from '../../testing/bridge.ts'
import { runCommand } from '../../testing/command.ts'
import { runDoctor } from '../../testing/diagnose.ts'
import { createFolder } from '../../testing/folder.ts'

describe('the configuration', () => {
  it('is named with what is wrong with it', async () => {
    await using engine = await startMockEngine()
    await using folder = await createFolder()
    const good = await folder.write('good.yaml', 'tier: ops\n')
    const odd = await folder.write('odd.yaml', 'teir: ops\nrequire_expose: ture\nmax_result_bytes: 1\n')
    const bad = await folder.write('bad.yaml', 'tier: ops\nrequire_expose: true\nexpose_all: true\n')
    const find = async (file: string) => (await runDoctor(engine.url, ['--config', file])).of('configuration')
    expect(await find(good)).toMatchObject({ verdict: 'ok', summary: good })
    expect(await find(odd)).toMatchObject({
      verdict: 'problem',
      details: [
        "line 1: unknown key 'teir'; did you mean 'tier'?",
        "line 2: require_expose: must be true or false, not a string; did you mean 'true'?",
        'line 3: max_result_bytes: must be at least 1024',
      ],
    })
    expect(await find(`${good}.none`)).toMatchObject({
      verdict: 'problem',
      details: [expect.stringContaining('does not exist: name the right one with --config')],
    })
    expect(await find(bad)).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(/bad\.yaml cannot be used: /),
      details: [expect.stringMatching(/^line 2: require_expose and expose_all .*say the opposite/)],
    })
    const { stdout } = await runCommand(['doctor', '--config', odd], { env: { III_URL: engine.url } })
    expect(stdout).toMatch(
      /\n +- line 1: unknown key [\s\S]*\n +- line 2: [\s\S]*\n +- line 3: [\s\S]*\n +→ mend the file/,
    )
    const { code, of } = await runDoctor(engine.url, ['--config', bad])
    expect(code).toBe(1)
    // By the defaults something else would be judged than what runs, or will run.
    for (const check of ['route', 'tools', 'names', 'namespaces', 'tokens', 'issuers']) {
      const summary = 'needs the configuration, which cannot be used'
      expect(of(check), check).toMatchObject({ verdict: 'skipped', summary })
    }
  })

  it('is wrong usage where flags contradict each other', async () => {
    const { code, stderr } = await runCommand(['doctor', '--require-expose', '--expose-all'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('say the opposite of each other')])
  })
})

describe('exposure to the network', () => {
  it('is a problem on the worker port, and on the HTTP port where nobody has said who may ask', async () => {
    await using engine = await startMockEngine({ host: '0.0.0.0' })
    await using folder = await createFolder()
    const off = await folder.write('off.yaml', 'auth: { mode: off }\n')
    const on = await folder.write('on.yaml', 'auth: { mode: required }\n')
    const local = engine.url.replace('0.0.0.0', '127.0.0.1')
    const look = (words: string[], addresses: string[] = ['127.0.0.2', '127.0.0.3']) =>
      runDoctor(local, words, { addresses: () => addresses })
    const { code, of } = await look([])
    expect(code).toBe(1)
    expect(of('bus exposure')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('is reached from the network (127.0.0.2, 127.0.0.3), without access rules'),
    })
    expect(of('http exposure')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(
        /bound to 0\.0\.0\.0:\d+: whoever is on the network \(here at 127\.0\.0\.2, 127\.0\.0\.3\)/,
      ),
      advice: [expect.stringContaining('host: 127.0.0.1'), expect.stringContaining('iii-mcp token create NAME')],
    })
    expect((await look([], [])).of('http exposure').verdict).toBe('warning')
    expect((await look(['--config', off])).of('http exposure')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringMatching(/^auth is off, and the HTTP port is bound to 0\.0\.0\.0/),
    })
    expect((await look(['--config', on, '--allowed-hosts', 'mcp.example.com'])).of('http exposure')).toMatchObject({
      verdict: 'ok',
      summary: expect.stringMatching(/callers need a token; also allowed: mcp\.example\.com$/),
    })
  })

  it('is judged by the bridge that runs, and its route is known though it tells strangers nothing', async () => {
    await using engine = await startMockEngine()
    const auth = AuthBlock.parse({ mode: 'required' })
    await using _ = await startBridge(engine, { options: { auth, allowedHosts: ['mcp.example.com'] } })
    const { of } = await runDoctor(engine.url)
    expect([of('http exposure'), of('route')]).toMatchObject([
      { verdict: 'ok', summary: expect.stringContaining('callers need a token; also allowed: mcp.example.com') },
      { verdict: 'ok', summary: expect.stringMatching(/ serves \/mcp, and asks callers for a token$/) },
    ])
  })

  it('is refused by the bridge where others are let in and nobody has said who of them may ask', async () => {
    await using engine = await startMockEngine()
    const { code, of } = await runDoctor(engine.url, ['--allowed-hosts', 'mcp.example.com'])
    expect([code, of('http exposure')]).toMatchObject([
      1,
      { verdict: 'problem', summary: expect.stringMatching(/^This server answers nothing: allowed_hosts opens it/) },
    ])
  })

  it('is none where nobody but this machine reaches a port that has access rules', async () => {
    await using engine = await startMockEngine({ restricted: { expose: [] } })
    const { of } = await runDoctor(engine.restrictedUrl ?? '', [], { addresses: () => ['127.0.0.2'] })
    expect(of('bus exposure')).toMatchObject({
      verdict: 'ok',
      summary: expect.stringContaining('web pages cannot use it'),
    })
  })
})

describe('tokens', () => {
  it('are looked at before they end', async () => {
    await using engine = await startMockEngine()
    await using folder = await createFolder()
    const look = async (expires: string | undefined) => {
      const token = { name: 'ci', hash: [`sha256:${'a'.repeat(64)}`], grant: 'all', ...(expires && { expires }) }
      const file = await folder.write('mcp.yaml', JSON.stringify({ auth: { tokens: [token], grants: { all: {} } } }))
      return (await runDoctor(engine.url, ['--config', file])).of('tokens')
    }
    const inDays = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString()
    expect(await look(undefined)).toMatchObject({ verdict: 'ok', summary: expect.stringMatching(/^1 in the file/) })
    expect(await look(inDays(15))).toMatchObject({ verdict: 'ok' })
    expect(await look(inDays(2.5))).toMatchObject({ verdict: 'warning', summary: 'these end soon: ci in 3 days' })
    expect(await look('2020-01-01')).toMatchObject({
      verdict: 'problem',
      summary: 'these have expired, and their clients hear 401: ci',
      advice: [expect.stringContaining('iii-mcp token create NAME')],
    })
    expect((await runDoctor(engine.url)).of('tokens').verdict).toBe('skipped')
  })
})
