import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import type { Result } from '@iii/sdk/cli'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../testing/command.ts'
import { startRegistry } from '../testing/registry.ts'

/** Runs `doctor --json`. */
async function diagnose(url: string, env: Record<string, string> = {}) {
  const { code, stdout } = await runCommandLine(['doctor', '--json'], { III_URL: url, ...env })
  const { checks } = JSON.parse(stdout) as { checks: Result[] }
  const of = (name: string) => checks.find(({ check }) => check === name)
  return { code, checks, of }
}

describe('the doctor of a registry', () => {
  it('finds a registry well, in words and as JSON', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registry.call('skills::register', { id: 'a', skill: '# A' })
    const { code, checks, of } = await diagnose(engine.url)
    expect([code, checks.map(({ check }) => check)]).toEqual([
      0,
      [
        'node',
        'configuration',
        'environment',
        'engine',
        'registry',
        'state',
        'rows',
        'spans',
        'names',
        'namespaces',
        'bus exposure',
      ],
    ])
    expect(of('registry')?.summary).toMatch(/worker 'skills'.* serves skills::\* and prompts::\*$/)
    expect(of('rows')).toMatchObject({ verdict: 'ok', summary: '1 skill and 0 prompts, all readable' })
    const { stdout } = await runCommandLine(['doctor'], { III_URL: engine.url })
    expect(stdout).toMatch(/^ok {7}registry +/m)
  })

  it('names a variable that was mistyped', async () => {
    await using engine = await startMockEngine()
    await using _registry = await startRegistry(engine.url)
    const { of } = await diagnose(engine.url, { III_SKILLS_OWNERSHP: 'strict' })
    expect(of('environment')).toMatchObject({
      verdict: 'warning',
      details: ['unknown variable III_SKILLS_OWNERSHP; did you mean III_SKILLS_OWNERSHIP?'],
    })
  })

  it('names the rows of strangers, and skills that nobody reaches', async () => {
    await using engine = await startMockEngine()
    const row = { id: 'skills/x', skill: '# X', registered_at: '2026-01-01T00:00:00Z' }
    await engine.call('state::set', { scope: 'skills', key: 'skills/x', value: row })
    await using _registry = await startRegistry(engine.url)
    for (const n of [1, 2, 3, 4]) {
      await engine.call('state::set', { scope: 'skills', key: `k${n}`, value: { id: `odd${n}` } })
    }
    const { code, of } = await diagnose(engine.url)
    expect(code).toBe(0)
    expect(of('rows')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringMatching(/^4 rows are no skill and no prompt \(skills: odd\d, .* and 1 more\)/),
    })
  })

  it('puts nothing into a command that no skill was ever called: it cannot be removed so, and a shell may obey it', async () => {
    await using engine = await startMockEngine()
    for (const id of ['skills/x', '../x', '$(reboot)']) {
      const value = { id, skill: '# X', registered_at: '2026-01-01T00:00:00Z' }
      await engine.call('state::set', { scope: 'skills', key: id, value })
    }
    await using _registry = await startRegistry(engine.url)
    const { summary, advice } = (await diagnose(engine.url)).of('rows') ?? {}
    expect(summary).toMatch(
      /^2 rows are no skill and no prompt .*; 1 skill has an address that is the bridge's own \(skills\/x\)$/,
    )
    expect(advice?.at(-1)).toMatch(/: iii-skills remove skills\/x( --url \S+)?$/)
  })

  it('leaves a store alone whose rows do not fit into a message for all that they say of files', async () => {
    await using engine = await startMockEngine()
    await using large = registerWorker(engine.url, {
      name: 'skills',
      log: createLog({ name: 's', level: 'silent' }),
    })
    const skills = Array.from({ length: 100 }, (_, at) => ({ id: `s${at}`, bytes: 10, files: 511 }))
    large.registerFunction('skills::list', () => ({ skills }))
    await large.ready()
    const summary = '100 skills are too much to be looked through one by one'
    expect((await diagnose(engine.url)).of('rows')).toMatchObject({ summary })
  })

  it('says that nobody serves, that settings are malformed, and that there is no engine', async () => {
    await using engine = await startMockEngine()
    const alone = await diagnose(engine.url)
    expect([alone.code, alone.of('registry')?.summary]).toEqual([
      1,
      'nobody serves skills::* and prompts::* on this engine',
    ])
    const odd = await diagnose(engine.url, { III_CONFIG: '/nowhere/skills.yaml' })
    expect(odd.of('configuration')).toMatchObject({ verdict: 'problem' })
    const gone = await diagnose('ws://127.0.0.1:9')
    expect([gone.code, gone.of('engine')?.verdict, gone.of('rows')?.summary]).toEqual([
      4,
      'problem',
      'needs the engine',
    ])
  })

  it('tells an engine of another version from none', async () => {
    await using engine = await startMockEngine()
    await using _registry = await startRegistry(engine.url)
    await using newer = registerWorker(engine.url, { name: 'newer', log: createLog({ name: 'n', level: 'silent' }) })
    newer.registerFunction('engine::health::check', () => ({ status: 'healthy', version: '0.24.0' }))
    await newer.ready()
    const { code, of } = await diagnose(engine.url)
    expect([code, of('engine')?.summary]).toEqual([1, expect.stringContaining('engine 0.24.0 at')])
  })

  it('does not say that nobody serves where access rules hide who does', async () => {
    await using engine = await startMockEngine({ restricted: { expose: ['engine::functions::*'] } })
    await using _registry = await startRegistry(engine.url)
    const { of } = await diagnose(engine.restrictedUrl ?? '')
    expect(of('registry')).toMatchObject({
      verdict: 'skipped',
      summary: 'the access rules of this port hide who serves skills::list',
      advice: [],
    })
  })

  it('says when two workers have the halves of it', async () => {
    await using engine = await startMockEngine()
    await using _registry = await startRegistry(engine.url)
    await using stranger = registerWorker(engine.url, {
      name: 'stranger',
      log: createLog({ name: 's', level: 'silent' }),
    })
    stranger.registerFunction('prompts::list', () => ({ prompts: [] }))
    await stranger.ready()
    const { code, of } = await diagnose(engine.url)
    expect([code, of('registry')?.summary]).toEqual([1, expect.stringContaining('prompts::* those of')])
  })
})

it('as JSON, what others say does nothing to a terminal', async () => {
  await using engine = await startMockEngine()
  await using stranger = registerWorker(engine.url, { name: 'eve', log: createLog({ name: 'eve', level: 'silent' }) })
  stranger.registerFunction('skills::list', () => Promise.reject(new Error('red \u202e')))
  await stranger.ready({ timeoutMs: 5000 })
  const { stdout } = await runCommandLine(['doctor', '--json'], { III_URL: engine.url })
  expect(stdout).toContain('red \\u202e')
})
