import { startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions } from '@iii/protocol'
import { describe, expect, it, vi } from 'vitest'
import type { Options } from '../options.ts'
import { createTextLog } from '../testing/recorded-log.ts'
import { startRegistry } from '../testing/registry.ts'
import { announceChangedRule } from './changed-rule.ts'

type Rule = Options['frontmatter']

/** A rule that changes, and what is told then. */
function startRule(differing: (before: Rule) => Promise<string[]>, state = 'serving') {
  const listeners: (() => void)[] = []
  const settings = {
    value: { frontmatter: 'render' as Rule },
    locked: undefined,
    onChange: (listener: () => void) => void listeners.push(listener),
  }
  const announce = vi.fn()
  const log = createTextLog()
  const worker = { ownership: { state } } as never
  announceChangedRule({ worker, settings: settings as never, agentSkills: { differing }, announce, log })
  const set = async (frontmatter: Rule) => {
    settings.value = { frontmatter }
    for (const listener of listeners) listener()
    await new Promise(setImmediate)
  }
  return { announce, log, set }
}

describe('another rule for front matter', () => {
  it('is told for each skill that it serves otherwise, and other settings are not', async () => {
    const differing = vi.fn(async (_before: Rule) => ['plain', 'titled'])
    const { announce, set } = startRule(differing)
    await set('render')
    expect(announce).not.toHaveBeenCalled()
    await set('strict')
    expect(announce.mock.calls.flat()).toEqual(['plain', 'titled'].map((id) => ({ op: 'register', id, changed: true })))
    await set('render')
    expect(differing.mock.calls).toEqual([['render'], ['strict']])
  })

  it('is told by the registry alone that serves, and a store that cannot be read is in the log', async () => {
    const standby = startRule(async () => ['plain'], 'standby')
    await standby.set('strict')
    expect(standby.announce).not.toHaveBeenCalled()
    const failing = startRule(() => Promise.reject(new Error('no store')))
    await failing.set('strict')
    expect(failing.log.warnings).toEqual([expect.objectContaining({ reason: 'no store' })])
  })
})

it('the digest of the list is another one with its skills, their names and descriptions, and with nothing else', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  const digest = async (prefixes?: string[]) =>
    (await registry.call<{ digest: string }>(agentSkillsFunctions.digest.id, { prefixes })).digest
  const write = (id: string, description: string, body = '') =>
    registry.call('skills::register', { id, skill: `---\nname: ${id}\ndescription: ${description}\n---\n${body}` })
  const seen = [await digest()]
  await write('orders', 'Orders.')
  seen.push(await digest())
  await write('orders', 'All orders.')
  seen.push(await digest())
  await registry.call('skills::register', { id: 'plain', skill: '# Plain\n' })
  seen.push(await digest())
  registry.settings.value = { ...registry.settings.value, frontmatter: 'strict' }
  expect(await digest()).toBe(seen[2])
  registry.settings.value = { ...registry.settings.value, frontmatter: 'render' }
  await write('orders', 'All orders.', 'Another text.\n')
  expect(await digest()).toBe(seen[3])
  expect(new Set(seen).size).toBe(4)
  const [own, other] = [await digest(['orders']), await digest(['other'])]
  await registry.call('skills::unregister', { id: 'plain' })
  expect([await digest(['orders']), await digest(['other'])]).toEqual([own, other])
  expect(other).toBe(seen[0])
})
