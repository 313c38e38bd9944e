import { type SharedState, startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions } from '@iii/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_INDEX_BYTES } from '../resources/index-page.ts'
import { createFullStore, toFullStoreId } from '../testing/full-store.ts'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const COUNT = 20_000
const MAX_MESSAGE = 8 * 1024 * 1024

let sharedState: SharedState

beforeAll(() => {
  sharedState = createFullStore({
    count: COUNT,
    toBody: (at) => `# Skill ${at}\n\nUse this when number ${at} is asked for.\n\n${'Advice. '.repeat(250)}`,
  })
}, 60_000)

/** An engine with a full store, that measures what goes over the wire. */
async function startFull() {
  const engine = await startMockEngine({ sharedState })
  const sizes: number[] = []
  const asked: string[] = []
  engine.onFrame(({ direction, text }) => {
    sizes.push(Buffer.byteLength(text))
    if (direction === 'in') asked.push(text.slice(0, 300))
  })
  return {
    engine,
    largest: () => Math.max(...sizes),
    count: (...words: string[]) => asked.filter((text) => words.every((word) => text.includes(word))).length,
    reset() {
      sizes.length = 0
      asked.length = 0
    },
    [Symbol.asyncDispose]: () => engine.close(),
  }
}

describe('20000 skills', { timeout: 60_000 }, () => {
  it('cost a registry that starts less than two seconds until its first answer, in messages of less than 8 MiB', async () => {
    await using full = await startFull()
    const before = process.cpuUsage()
    await using registry = await startRegistry(full.engine.url)
    const { skills } = await registry.call<{ skills: unknown[] }>('skills::list')
    const { user, system } = process.cpuUsage(before)
    expect(skills).toHaveLength(COUNT)
    // Of the processor: the machine may have other things to do. It is the engine's share as well.
    expect((user + system) / 1e6).toBeLessThan(2)
    expect(full.count('state::list', '"skills::index::')).toBe(32)
    expect(full.count('state::list', '"scope":"skills"')).toBe(0)
    expect(full.largest()).toBeLessThan(MAX_MESSAGE)
  })

  it('are listed in messages of less than 8 MiB, and indexed in less than 256 KiB', async () => {
    await using full = await startFull()
    await using registry = await startRegistry(full.engine.url)
    const { resources } = await registry.call<{ resources: unknown[] }>('skills::resources-list')
    expect(resources).toHaveLength(COUNT + 1)
    const { contents } = await registry.call<{ contents: { text: string }[] }>('skills::resources-read', {
      uri: 'iii://skills',
    })
    const page = contents[0]?.text ?? ''
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(MAX_INDEX_BYTES)
    const rows = page.split('\n').filter((line) => line.trimStart().startsWith('- ')).length
    expect(page).toContain(`_${COUNT - rows} more skills do not fit here`)
    expect(full.largest()).toBeLessThan(MAX_MESSAGE)
  })

  it('are listed for many at once, and nobody loses the connection over it', async () => {
    await using full = await startFull()
    await using registry = await startRegistry(full.engine.url)
    const { workerId } = registry.worker
    const list = { function_id: 'skills::resources-list', timeoutMs: 60_000 }
    const lists = Array.from({ length: 16 }, () => registry.client.trigger<{ resources: unknown[] }>(list))
    for (const { resources } of await Promise.all(lists)) expect(resources).toHaveLength(COUNT + 1)
    expect(registry.worker.workerId).toBe(workerId)
  })

  it('cost one part of the index to be told of a change, and nothing when there was none', async () => {
    await using full = await startFull()
    await using other = await startRegistry(full.engine.url)
    await using registry = await startRegistry(full.engine.url)
    await Promise.all([other.call('skills::list'), registry.call('skills::list')])
    full.reset()
    await registry.call('skills::list')
    expect(full.count('state::list')).toBe(0)
    await registry.call('skills::register', { id: toFullStoreId(7), skill: '# Changed' })
    await expect.poll(() => full.count('state::list', '"skills::index::'), { timeout: 5000 }).toBe(1)
    expect(full.largest()).toBeLessThan(MAX_MESSAGE)
  })
})

/** Addresses of all pages, in their order. @param between is done after each page, with how many there were */
async function readPages(registry: TestRegistry, between: (pages: number) => Promise<void>): Promise<string[]> {
  const uris: string[] = []
  let after: string | undefined
  let pages = 0
  do {
    const page: { skills: AgentSkillEntry[]; after?: string } = await registry.call(agentSkillsFunctions.list.id, {
      after,
    })
    uris.push(...page.skills.map(({ uri }) => uri))
    after = page.after
    pages += 1
    await between(pages)
  } while (after !== undefined)
  return uris
}

describe('the pages of 20000 skills', { timeout: 120_000 }, () => {
  it('have each once, and lose none while others are registered and removed', async () => {
    await using full = await startFull()
    await using registry = await startRegistry(full.engine.url)
    const removed: string[] = []
    const listed = await readPages(registry, async (pages) => {
      if (pages % 20 !== 0) return
      // Before and behind the page, new ones and old ones.
      const gone = [toFullStoreId(50 * pages), toFullStoreId(50 * pages + 9)]
      for (const id of gone) await registry.call('skills::unregister', { id })
      for (const group of [0, 9])
        await registry.call('skills::register', { id: `group-${group}/new-${pages}`, skill: '# N' })
      removed.push(...gone)
    })
    const unique = new Set(listed)
    expect(unique.size).toBe(listed.length)
    expect(removed.length).toBeGreaterThanOrEqual(20)
    const left = Array.from({ length: COUNT }, (_, at) => toFullStoreId(at)).filter((id) => !removed.includes(id))
    expect(left.filter((id) => !unique.has(`skill://${id}/SKILL.md`))).toEqual([])
    expect(full.count('state::list', '"scope":"skills"')).toBe(0)
  })
})

describe('skills with the longest titles and summaries', { timeout: 60_000 }, () => {
  it('are listed as far as one message holds them, and the list says how many it leaves out', async () => {
    const line = '行'.repeat(200)
    const state = createFullStore({ count: COUNT, toBody: (at) => `# ${line}${at}\n\n${line}` })
    await using engine = await startMockEngine({ sharedState: state })
    let largest = 0
    engine.onFrame(({ text }) => {
      largest = Math.max(largest, Buffer.byteLength(text))
    })
    await using registry = await startRegistry(engine.url)
    const list = await registry.call<{ resources: unknown[]; left_out: number }>('skills::resources-list')
    expect(list.left_out).toBeGreaterThan(0)
    expect(list.resources.length + list.left_out).toBe(COUNT + 1)
    expect(largest).toBeLessThan(MAX_MESSAGE)
    expect(largest).toBeGreaterThan(0.9 * MAX_MESSAGE)
  })
})
