import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createStamps } from '../records/registered-at.ts'
import { toUndecodable } from '../store/store-fault.ts'
import { createTextLog } from '../testing/recorded-log.ts'
import { startRegistry } from '../testing/registry.ts'
import { createSkillFiles } from './skill-files.ts'
import { startSweep } from './sweep.ts'

it('leaves a content that is stored anew while it is looked at, for the skill that is about to name it', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  const { worker, settings } = registry
  const log = createTextLog()
  const live = { ...settings, onChange: () => () => undefined }
  const files = createSkillFiles({ worker, settings: live, stamp: createStamps(), log })
  const store = () => files.store('orders', [{ path: 'a.txt', text: 'a' }])
  const [fact] = await store()
  const skills = {
    list: async () => [],
    async read() {
      await store()
      return undefined
    },
  }
  const { sweep } = startSweep({ worker, skills, files, log, graceMs: 0 })
  await sweep().catch(() => undefined)
  expect(await files.read('orders', fact?.sha256 ?? '')).toMatchObject({ text: 'a' })
})

it('leaves a content that a registry on another engine stores anew between the last look and the removal', async () => {
  const sharedState = createSharedState()
  await using here = await startMockEngine({ sharedState })
  await using there = await startMockEngine({ sharedState })
  await using first = await startRegistry(here.url)
  await using second = await startRegistry(there.url)
  const log = createTextLog()
  const open = ({ worker, settings }: typeof first) => {
    const live = { ...settings, onChange: () => () => undefined }
    return createSkillFiles({ worker, settings: live, stamp: createStamps(), log })
  }
  const others = open(second)
  const store = () => others.store('orders', [{ path: 'a.txt', text: 'a' }])
  const trigger = first.worker.trigger.bind(first.worker)
  vi.spyOn(first.worker, 'trigger').mockImplementation(async (request) => {
    if (request.function_id === 'state::delete') await store()
    return await trigger(request)
  })
  const files = open(first)
  files.open()
  const [fact] = await store()
  const skills = { list: async () => [], read: async () => undefined }
  const { sweep } = startSweep({ worker: first.worker, skills, files, log, graceMs: 0 })
  await expect(sweep()).rejects.toMatchObject({ code: 'unavailable' })
  for (const each of [files, others]) {
    expect(await each.read('orders', fact?.sha256 ?? '')).toMatchObject({ text: 'a' })
    await vi.waitFor(async () => expect(await each.list()).toMatchObject([{ id: 'orders' }]), { timeout: 5000 })
  }
})

it('removes what a registry before this one has left there, when no skill has files any more', async () => {
  const sharedState = createSharedState()
  await using engine = await startMockEngine({ sharedState })
  const before = await startRegistry(engine.url)
  const files = [{ path: 'a.txt', text: 'a' }]
  await before.call('skills::register', { id: 'orders', skill: '# Orders', files })
  await before.call('skills::unregister', { id: 'orders' })
  await before[Symbol.asyncDispose]()
  await using registry = await startRegistry(engine.url)
  const { worker, settings } = registry
  const log = createTextLog()
  const { sweep } = startSweep({
    worker,
    skills: { list: async () => [], read: async () => undefined },
    files: createSkillFiles({
      worker,
      settings: { ...settings, onChange: () => () => undefined },
      stamp: createStamps(),
      log,
    }),
    log,
    graceMs: 0,
  })
  expect(sharedState.values('skills::files')).toHaveLength(1)
  await sweep()
  expect(sharedState.values('skills::files')).toEqual([])
})

it.each([
  new Fault('not_found', 'The text of skill lost went down with the state of the engine'),
  toUndecodable('skill', 'lost', new z.ZodError([])),
])('goes on behind a skill of which nobody knows what it has named: $message', async (reason) => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  const infos = ['lost', 'gone'].map((id) => ({ id, sha256: 'x', bytes: 1, registered_at: '' }))
  const removed: string[] = []
  const { sweep } = startSweep({
    worker: registry.worker,
    skills: {
      list: async () => [],
      async read(id) {
        if (id === 'lost') throw reason
        return undefined
      },
    },
    files: { list: async () => infos, remove: async ({ id }) => void removed.push(id) },
    log: createTextLog(),
    graceMs: 0,
  })
  await sweep()
  expect(removed).toEqual(['gone'])
})

it('is due again only when the one before is over', async () => {
  vi.useFakeTimers()
  try {
    const over: (() => void)[] = []
    startSweep({
      worker: { ownership: { state: 'serving' }, onShutdown: () => undefined } as never,
      skills: { list: () => new Promise((resolve) => over.push(() => resolve([]))), read: async () => undefined },
      files: { list: async () => [], remove: async () => undefined },
      log: createTextLog(),
      everyMs: 10,
    })
    await vi.advanceTimersByTimeAsync(35)
    expect(over).toHaveLength(1)
    over[0]?.()
    await vi.advanceTimersByTimeAsync(10)
    expect(over).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})
