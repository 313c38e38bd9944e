import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../testing/command.ts'
import { diagnose } from '../../testing/diagnose.ts'
import { createFolder } from '../../testing/folder.ts'

describe('the configuration', () => {
  it('is named with what is wrong with it', async () => {
    await using engine = await startMockEngine()
    await using folder = await createFolder()
    const good = await folder.write('good.yaml', 'tier: ops\n')
    const odd = await folder.write('odd.yaml', 'teir: ops\nrequire_expose: ture\nmax_result_bytes: 1\n')
    const bad = await folder.write('bad.yaml', 'tier: ops\nrequire_expose: true\nexpose_all: true\n')
    const find = async (file: string) => (await diagnose(engine.url, ['--config', file])).of('configuration')
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
    expect((await diagnose(engine.url, ['--config', bad])).code).toBe(1)
  })

  it('is wrong usage where flags contradict each other', async () => {
    const { code, stderr } = await runCommand(['doctor', '--require-expose', '--expose-all'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('say the opposite of each other')])
  })
})

describe('exposure to the network', () => {
  it('is a problem on the worker port, and a warning on the HTTP port', async () => {
    await using engine = await startMockEngine({ host: '0.0.0.0' })
    const local = engine.url.replace('0.0.0.0', '127.0.0.1')
    const { code, of } = await diagnose(local, ['--allowed-hosts', 'mcp.example.com'], {
      addresses: () => ['127.0.0.2', '127.0.0.3'],
    })
    expect(code).toBe(1)
    expect(of('bus exposure')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('is reached from the network (127.0.0.2, 127.0.0.3), without access rules'),
    })
    expect(of('http exposure')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringMatching(
        /bound to 0\.0\.0\.0:\d+: whoever is on the network.*also allowed: mcp\.example\.com/,
      ),
    })
  })

  it('is none where nobody but this machine reaches a port that has access rules', async () => {
    await using engine = await startMockEngine({ restricted: { expose: [] } })
    const { of } = await diagnose(engine.restrictedUrl ?? '', [], { addresses: () => ['127.0.0.2'] })
    expect(of('bus exposure')).toMatchObject({
      verdict: 'ok',
      summary: expect.stringContaining('web pages cannot use it'),
    })
  })
})
