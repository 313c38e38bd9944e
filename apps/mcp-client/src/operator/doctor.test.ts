import { startMockEngine } from '@iii/mock-engine'
import type { Result } from '@iii/sdk/cli'
import { describe, expect, it } from 'vitest'
import { CODES } from '../diagnostics/diagnostic.ts'
import { type CommandStage, startCommandStage } from '../testing/command-stage.ts'
import { toAdvice } from './advice.ts'

const SERVERS = {
  github: { command: 'x', trust: 'unsandboxed' },
  notes: { command: 'notes' },
  off: { command: 'off', disabled: true },
  bad: { command: 'x', args: 5 },
}

/** Runs `doctor --json`. */
async function diagnose(stage: CommandStage) {
  const { code, stdout } = await stage.run(['doctor', '--json'])
  const { checks } = JSON.parse(stdout) as { checks: Result[] }
  return {
    code,
    checks,
    of: (name: string) => checks.find(({ check }) => check === name || check === `server ${name}`),
  }
}

describe('the doctor', () => {
  it('says of each server what is wrong with it, and what to do', async () => {
    await using engine = await startMockEngine()
    await using stage = await startCommandStage(SERVERS, engine.url)
    const missing = { code: 'secret_missing', message: 'env.set.A: this worker has no variable A' } as const
    await stage.serve(
      { name: 'github', state: 'backoff', diagnostics: [missing] },
      { name: 'notes', state: 'untrusted', diagnostics: [{ code: 'not_trusted', message: 'It is not started' }] },
      { name: 'off', state: 'disabled' },
      {
        name: 'bad',
        state: 'malformed',
        diagnostics: [{ code: 'malformed', message: 'servers.bad.args: must be a list' }],
      },
    )
    const { code, checks, of } = await diagnose(stage)
    expect(code).toBe(1)
    expect(checks.map(({ check }) => check)).toEqual([
      'node',
      'configuration',
      'environment',
      'engine',
      'sandbox',
      'lock file',
      'server github',
      'server notes',
      'server off',
      'server bad',
      'worker',
      'spans',
      'names',
      'namespaces',
      'bus exposure',
    ])
    expect(of('github')).toMatchObject({
      verdict: 'problem',
      summary: 'secret_missing: env.set.A: this worker has no variable A',
    })
    expect(of('notes')?.advice).toEqual([expect.stringContaining('write trust: unsandboxed below servers.notes')])
    expect(of('off')).toMatchObject({ verdict: 'ok', summary: 'disabled: it is not started' })
    expect(of('bad')).toMatchObject({ verdict: 'problem', summary: 'malformed: servers.bad.args: must be a list' })
    expect(of('sandbox')).toMatchObject({
      verdict: 'ok',
      summary: expect.stringMatching(/^github: not sandboxed, with all rights of the worker/),
    })
    const { stdout } = await stage.run(['doctor'])
    expect(stdout).toMatch(/^problem {2}server github +secret_missing: /m)
  })

  it('says who else has name or functions of the worker, and where it lives', async () => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using stage = await startCommandStage(SERVERS, engine.url)
    await stage.serve()
    const { of } = await diagnose(stage)
    expect(of('names')).toMatchObject({ verdict: 'ok', summary: expect.stringContaining('has name and functions') })
    expect(of('namespaces')).toMatchObject({ verdict: 'ok', summary: "it lives in the namespace 'default'" })
  })

  it('ends with 0 when all is well, warnings included', async () => {
    await using engine = await startMockEngine()
    await using stage = await startCommandStage({ github: SERVERS.github, more: SERVERS.github }, engine.url)
    await stage.serve(
      { name: 'github' },
      { name: 'more', diagnostics: [{ code: 'tools_changed', message: '1 of its tools' }] },
    )
    const { code, of } = await diagnose(stage)
    expect([code, of('github')?.summary, of('more')?.verdict]).toEqual([0, 'ready, with 0 tools', 'warning'])
  })

  it('says of a server that the running worker has not that it reads another file, and not that this one is malformed', async () => {
    await using engine = await startMockEngine()
    await using stage = await startCommandStage({ github: SERVERS.github }, engine.url)
    await stage.serve({ name: 'notes' })
    const { of } = await diagnose(stage)
    expect(of('github')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(/^other_file: the running worker does not have it/),
    })
  })

  it('calls nothing well that is in no file', async () => {
    await using engine = await startMockEngine()
    await using stage = await startCommandStage(SERVERS, engine.url)
    await stage.serve({ name: 'github' })
    const { code, stdout } = await stage.run(['doctor'], { env: { III_CONFIG: '' } })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^warning +servers +no file is named/m)])
    expect(stdout).not.toMatch(/sandbox|lock file/)
  })

  it('takes a worker that says what nobody can read for none', async () => {
    await using engine = await startMockEngine()
    await using stage = await startCommandStage({ github: SERVERS.github }, engine.url)
    await stage.serve({ name: 'github', counts: 'of another version' as never })
    const { code, stdout, stderr } = await stage.run(['list'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^github /m)])
    expect(stderr).toMatch(/says nothing that this version can read/)
    expect((await diagnose(stage)).of('worker')).toMatchObject({ verdict: 'problem' })
  })

  it('says that a lock file cannot be made, without which new tools wait, and what makes them come', async () => {
    await using engine = await startMockEngine()
    await using stage = await startCommandStage(SERVERS, engine.url)
    await stage.write('mcp.yaml', JSON.stringify({ pins: 'no/lock.json', servers: SERVERS }))
    expect((await diagnose(stage)).of('lock file')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(
        /this user cannot make it \(ENOENT\); until then tools of new servers wait, except with changed_tools: accept$/,
      ),
      advice: [expect.stringMatching(/then start the worker anew, or approve what waits: iii-mcp-client approve NAME/)],
    })
  })

  it('says what the file says without a worker, and without a file that can be used', async () => {
    await using engine = await startMockEngine()
    await using stage = await startCommandStage(
      { ...SERVERS, secret: { command: 'x', trust: 'unsandboxed', env: { set: { A: { env: 'NOBODY' } } } } },
      engine.url,
    )
    const { code, of } = await diagnose(stage)
    expect([code, of('worker')?.verdict, of('github')?.verdict, of('bad')?.verdict, of('off')?.verdict]).toEqual([
      1,
      'problem',
      'skipped',
      'problem',
      'ok',
    ])
    expect(of('secret')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(/^secret_missing: env.set.A: /),
    })
    await stage.write('mcp.yaml', '{}', 0o666)
    await stage.write('mcp-client.lock.json', '{}')
    expect((await diagnose(stage)).of('lock file')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(/mcp-client.lock.json: the file is malformed: restore it/),
    })
    expect((await diagnose(stage)).of('configuration')).toMatchObject({
      verdict: 'problem',
      details: [expect.stringContaining('chmod go-w it')],
    })
  })

  it('names the mistakes of all servers beside those that make the file useless, and trusts none of it', async () => {
    await using engine = await startMockEngine()
    await using stage = await startCommandStage({}, engine.url)
    const good = ['  good:', '    command: x', '    trust: unsandboxed']
    const servers = ['servers:', ...good, '  bad:', '    command: 5', '    tool: []']
    await stage.write('mcp.yaml', ['pin: x.json', ...servers, ''].join('\n'))
    const { of } = await diagnose(stage)
    expect(of('configuration')?.details).toEqual(["line 1: unknown key 'pin'; did you mean 'pins'?"])
    expect(of('good')?.verdict).toBe('skipped')
    expect(of('bad')?.summary).toMatch(/line 8: servers\.bad\.tool: .+ 'tools'\?.+ line 7: servers\.bad\.command: must/)
    expect(of('sandbox')).toBeUndefined()
  })

  it('knows what to do about every code', () => {
    for (const code of CODES) expect(toAdvice(code, 'github')).not.toMatch(/NAME|\.$/)
    // Only behind a colon a command stays in one piece.
    for (const code of CODES) expect(toAdvice(code, 'github')).not.toMatch(/[^:] iii-mcp-client/)
  })
})
