import { randomBytes } from 'node:crypto'
import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions, Fault, type SkillFile, skillsFunctions, toFault } from '@iii/protocol'
import { createLog, publish, REGISTRATION, registerWorker, toSkillRegistration } from '@iii/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'
import { toContentHash } from './file-records.ts'
import { createStaging } from './staging.ts'

const MIB = 1_048_576
const TEXT = '# Orders'
/** With the text they have 16 MiB. */
const toFiles = (last = MIB - TEXT.length): SkillFile[] =>
  Array.from({ length: 16 }, (_, at) => ({
    path: `f${at}.bin`,
    base64: randomBytes(at === 15 ? last : MIB).toString('base64'),
  }))
const named = ({ path, ...content }: SkillFile): SkillFile => ({ path, sha256: toContentHash(content) })

async function register({ call }: Pick<TestRegistry, 'call'>, files: SkillFile[], id = 'orders') {
  const { ahead, skill } = toSkillRegistration({ id, skill: TEXT, files })
  for (const part of ahead) await call(REGISTRATION.ahead.id, part)
  return { parts: ahead.length, ...(await call<{ id: string }>(REGISTRATION.skill.id, skill)) }
}

const readAll = async ({ call }: TestRegistry, id = 'orders') => {
  const { files } = await call<{ files: { path: string }[] }>(agentSkillsFunctions.files.id, { id })
  return await Promise.all(
    files.map(async ({ path }) => ({ path, ...(await call<object>(agentSkillsFunctions.readFile.id, { id, path })) })),
  )
}

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)

describe('a skill that does not fit into one message', () => {
  it('is registered whole, and nobody sees anything of it before', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await using registry = await startRegistry(engine.url)
    await registry.call('skills::register', { id: 'orders', skill: '# Old', files: [{ path: 'old.txt', text: 'old' }] })
    const files = toFiles()
    const { ahead, skill } = toSkillRegistration({ id: 'orders', skill: TEXT, files })
    expect(ahead.length).toBeGreaterThan(3)
    for (const part of ahead) {
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(8 * MIB)
      await registry.call(REGISTRATION.ahead.id, part)
      expect(await readAll(registry)).toEqual([{ path: 'old.txt', text: 'old' }])
    }
    expect([...sharedState.entries('skills::files')]).toHaveLength(1)
    await registry.call(REGISTRATION.skill.id, skill)
    expect((await readAll(registry)).sort(byPath)).toEqual([...files].sort(byPath))
    // What was sent ahead is gone with the registration.
    expect(await registry.fault(REGISTRATION.skill.id, skill)).toMatchObject({ code: 'not_found' })
  })

  it('is published as any other, byte for byte', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const files = toFiles()
    const publication = publish(registry.client, { skills: [{ id: 'orders', skill: TEXT, files }] })
    expect(await publication.settled).toEqual({ published: ['skill orders'], failed: [] })
    publication.close()
    expect((await readAll(registry)).sort(byPath)).toEqual([...files].sort(byPath))
  })

  it('is that of the worker that sent its files, and nobody else completes it', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const log = createLog({ name: 'other', level: 'silent' })
    const other = registerWorker(engine.url, { name: 'other', log })
    await other.ready()
    const files = [{ path: 'a.txt', text: 'secret' }]
    await registry.call(agentSkillsFunctions.stage.id, { id: 'orders', files })
    const payload = { id: 'orders', skill: 'x', files: files.map(named) }
    const refused = await other.trigger({ function_id: 'skills::register', payload }).catch(toFault)
    expect(refused).toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/^file a.txt: this worker has sent nothing ahead with the SHA-256 [0-9a-f]{64}/),
    })
    expect(await registry.fault('skills::register', { ...payload, id: 'billing' })).toMatchObject({ code: 'not_found' })
    expect(await registry.call('skills::register', payload)).toMatchObject({ id: 'orders' })
    await other.shutdown()
  })

  it('is refused to others from the first message on where ownership is strict', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    const log = createLog({ name: 'other', level: 'silent' })
    const other = registerWorker(engine.url, { name: 'other', log })
    await other.ready()
    await registry.call('skills::register', { id: 'orders', skill: 'x' })
    const payload = { id: 'orders', files: [{ path: 'a.txt', text: 'a' }] }
    const stage = { function_id: agentSkillsFunctions.stage.id, payload }
    expect(await other.trigger(stage).catch(toFault)).toMatchObject({ code: 'forbidden' })
    await other.shutdown()
  })

  it('is refused with what is wrong with it', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const refusal = (files: object[], id = 'orders') => registry.refusal(agentSkillsFunctions.stage.id, { id, files })
    expect(await refusal([{ path: '../a', text: '' }])).toMatch(/leads elsewhere.*\[invalid_input\]$/)
    expect(await refusal([], 'Orders')).toMatch(/\[invalid_input\]$/)
    expect(await refusal([{ path: 'a', sha256: '0'.repeat(64) }])).toBe(
      'file a: what is sent ahead is text or base64 [invalid_input]',
    )
    expect(
      await registry.refusal('skills::register', { id: 'orders', skill: 'x', files: [{ path: 'a', sha256: 'A' }] }),
    ).toBe('file a: sha256 must be 64 digits of small hex [invalid_input]')
    // All of a skill counts, however it came.
    expect(await register(registry, toFiles(MIB - TEXT.length + 1)).catch(toFault)).toMatchObject({
      code: 'invalid_input',
      message: `skill too large (${16 * MIB + 1} bytes with all its files; max ${16 * MIB})`,
    })
    expect(await registry.refusal(skillsFunctions.resourcesRead.id, { uri: 'iii://orders' })).toMatch(/not_found/)
  })
})

describe('what was sent ahead', () => {
  afterEach(() => void vi.useRealTimers())
  const from = (owner: string, id = 'orders') => ({ owner, id })
  const one = (at: number) => ({ path: `${at}`, text: `${at}`.padStart(MIB) })

  it('goes a minute after the last of it has come', () => {
    vi.useFakeTimers()
    const staging = createStaging()
    staging.add(from('a'), [one(1)])
    vi.advanceTimersByTime(59_999)
    staging.add(from('a'), [one(2)])
    vi.advanceTimersByTime(59_999)
    expect(staging.complete(from('a'), [one(1), one(2)].map(named))).toEqual([one(1), one(2)])
    vi.advanceTimersByTime(1)
    expect(() => staging.complete(from('a'), [named(one(1))])).toThrow(Fault)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('counts where it is nothing: a worker has no more than two thousand skills that wait', () => {
    const staging = createStaging()
    const fill = (count: number) => {
      for (let at = 0; at < count; at += 1) staging.add(from('a', `s${at}`), [])
    }
    fill(2_048)
    expect(() => fill(2_049)).toThrow(/^Too many files wait/)
    staging.close()
  })

  it('is no more than two skills of a worker, and eight of all', () => {
    const staging = createStaging()
    const fill = (owner: string, count: number, start = 0) => {
      for (let at = 0; at < count; at += 1) staging.add(from(owner, `s${at}`), [one(start + at)])
    }
    fill('a', 31)
    expect(() => fill('a', 32, 100)).toThrow(/^Too many files wait/)
    // The same once more is no more.
    staging.add(from('a', 's0'), [one(0)])
    for (const owner of ['b', 'c', 'd']) fill(owner, 31)
    expect(() => fill('e', 31)).toThrow(/^Too many files wait/)
    staging.drop(from('a', 's0'))
    staging.close()
    fill('e', 31)
    staging.close()
  })
})
