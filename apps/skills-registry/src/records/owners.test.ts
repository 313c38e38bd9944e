import { setImmediate as turn } from 'node:timers/promises'
import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { Fault, toFault } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { subscribe } from '../testing/events.ts'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'
import { createOwners } from './owners.ts'

const log = createLog({ name: 'test', level: 'silent' })

async function connect(url: string, name: string): Promise<Worker> {
  const worker = registerWorker(url, { name, log })
  await worker.ready({ timeoutMs: 5000 })
  return worker
}

async function refusal(worker: Worker, function_id: string, payload: object): Promise<string> {
  const result = await worker.trigger({ function_id, payload }).catch(toFault)
  if (result instanceof Fault) return `${result.message} [${result.code}]`
  throw new Error(`${function_id} succeeded`)
}

const skill = { function_id: 'skills::register', payload: { id: 'a', skill: '# A' } }
const prompt = { function_id: 'prompts::register', payload: { name: 'p', description: 'x', function_id: 'a::b' } }

async function owners(registry: TestRegistry): Promise<unknown[]> {
  const { skills } = await registry.call<{ skills: { owner?: string }[] }>('skills::list')
  const { prompts } = await registry.call<{ prompts: { owner?: string }[] }>('prompts::list')
  return [...skills, ...prompts].map(({ owner }) => owner)
}

describe('the owner of a skill or prompt', () => {
  it('is the worker that registered it, by its name, and is listed', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await using ada = await connect(engine.url, 'ada')
    await ada.trigger(skill)
    await ada.trigger(prompt)
    expect(await owners(registry)).toEqual(['ada', 'ada'])
  })

  it('cannot be chosen by whoever calls', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await using ada = await connect(engine.url, 'ada')
    await using eve = await connect(engine.url, 'eve')
    const forged = { ...skill.payload, _caller_worker_id: ada.workerId, owner: 'ada' }
    await eve.trigger({ ...skill, payload: forged })
    expect(await owners(registry)).toEqual(['eve'])
  })

  it('is nobody when the engine itself registers it', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await engine.call(skill.function_id, skill.payload)
    expect(await owners(registry)).toEqual([undefined])
  })

  it('becomes another one when another worker overwrites it: subscribers are told, and the log warns', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const events = await subscribe(registry.client, 'skills::on-change', 'test::on-change')
    await using ada = await connect(engine.url, 'ada')
    await using eve = await connect(engine.url, 'eve')
    await ada.trigger(skill)
    await eve.trigger({ ...skill, payload: { id: 'a', skill: 'mine now' } })
    expect(await owners(registry)).toEqual(['eve'])
    expect((await events.reach(2))[1]).toEqual({ op: 'register', id: 'a', changed: true, previous_owner: 'ada' })
    expect(registry.warnings).toContainEqual({
      skill: 'a',
      owner: 'eve',
      previous_owner: 'ada',
      text: 'overwritten by another worker',
    })
  })

  it('is found where the name comes behind the first calls, as iii-sdk sends it, and those go on in their order', async () => {
    const listed = [[], [{ id: 'w', name: null }], [{ id: 'w', name: 'ada' }]]
    const trigger: Worker['trigger'] = async <T>() => ({ workers: listed.shift() }) as T
    const { nameOf } = createOwners({ trigger }, () => 1000)
    const told: string[] = []
    const ask = async (call: string) => told.push(`${call} of ${await nameOf('w')}`)
    await Promise.all(['first', 'second', 'third'].map(ask))
    expect(told).toEqual(['first of ada', 'second of ada', 'third of ada'])
  })

  it('is waited for by later calls too while it is looked for, though a list for others has it meanwhile', async () => {
    const listed = [
      [],
      [
        { id: 'v', name: 'bob' },
        { id: 'w', name: 'ada' },
      ],
    ]
    const trigger: Worker['trigger'] = async <T>() => ({ workers: listed.shift() ?? [] }) as T
    const { nameOf } = createOwners({ trigger }, () => 1000)
    const told: string[] = []
    const ask = async (call: string) => told.push(`${call} of ${await nameOf('w')}`)
    const first = ask('first')
    await turn()
    await nameOf('v')
    await Promise.all([first, ask('second')])
    expect(told).toEqual(['first of ada', 'second of ada'])
  })

  it('is not waited for to tell who is there', async () => {
    let asked = 0
    const trigger: Worker['trigger'] = async <T>() => {
      asked += 1
      return {
        workers: [
          { id: 'v', name: null },
          { id: 'w', name: 'ada' },
        ],
      } as T
    }
    const { present } = createOwners({ trigger }, () => 1000)
    expect([await present(), asked]).toEqual([new Set(['ada']), 1])
  })

  it('is waited for once where a worker has no name', async () => {
    let asked = 0
    const trigger: Worker['trigger'] = async <T>() => {
      asked += 1
      return { workers: [{ id: 'w', name: null }] } as T
    }
    const { nameOf } = createOwners({ trigger }, () => 1000)
    expect(await Promise.all([nameOf('w'), nameOf('w'), nameOf('gone')])).toEqual([undefined, undefined, undefined])
    const before = asked
    expect(await nameOf('w')).toBe(undefined)
    expect(asked).toBe(before)
  })

  it('is asked for once for each connection', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await using ada = await connect(engine.url, 'ada')
    const asked: string[] = []
    engine.onFrame(({ text }) => text.includes('engine::workers::list') && asked.push(text))
    for (let times = 0; times < 5; times += 1) await ada.trigger(skill)
    expect(asked.length).toBeLessThanOrEqual(2)
    expect(await owners(registry)).toEqual(['ada'])
  })
})

describe('strict ownership', () => {
  it('refuses registration and removal by others, and names the owner', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    await using ada = await connect(engine.url, 'ada')
    await using eve = await connect(engine.url, 'eve')
    await ada.trigger(skill)
    await ada.trigger(prompt)
    const text = (what: string) =>
      `The ${what} belongs to the worker 'ada': while ownership is strict, nobody else may change or remove it [forbidden]`
    expect(await refusal(eve, 'skills::register', skill.payload)).toBe(text('skill a'))
    expect(await refusal(eve, 'skills::unregister', { id: 'a' })).toBe(text('skill a'))
    expect(await refusal(eve, 'prompts::register', prompt.payload)).toBe(text('prompt p'))
    expect(await refusal(eve, 'prompts::unregister', { name: 'p' })).toBe(text('prompt p'))
    expect(await registry.refusal('skills::unregister', { id: 'a' })).toBe(text('skill a'))
    await expect(engine.call('skills::unregister', { id: 'a' })).rejects.toThrow('belongs to')
    expect(await owners(registry)).toEqual(['ada', 'ada'])
  })

  it('knows the owner by its name: it may restart', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    const before = await connect(engine.url, 'ada')
    await before.trigger(skill)
    await before.shutdown()
    await using after = await connect(engine.url, 'ada')
    await after.trigger(skill)
    expect(await after.trigger({ function_id: 'skills::unregister', payload: { id: 'a' } })).toMatchObject({
      removed: true,
    })
    await using eve = await connect(engine.url, 'eve')
    await eve.trigger(skill)
    expect(await owners(registry)).toEqual(['eve'])
  })

  it('holds from the first call of a registry on', async () => {
    await using engine = await startMockEngine()
    await using ada = await connect(engine.url, 'ada')
    await using eve = await connect(engine.url, 'eve')
    const first = await startRegistry(engine.url, { ownership: 'strict' })
    await ada.trigger(skill)
    await first[Symbol.asyncDispose]()
    await using second = await startRegistry(engine.url, { ownership: 'strict' })
    expect(await refusal(eve, 'skills::register', skill.payload)).toContain("belongs to the worker 'ada'")
    expect(await owners(second)).toEqual(['ada'])
  })

  it('holds for what a registry on another engine was told a moment ago', async () => {
    const sharedState = createSharedState()
    await using here = await startMockEngine({ sharedState })
    await using there = await startMockEngine({ sharedState })
    await using first = await startRegistry(here.url, { ownership: 'strict' })
    await using second = await startRegistry(there.url, { ownership: 'strict' })
    expect(await Promise.all([owners(first), owners(second)])).toEqual([[], []])
    await using ada = await connect(here.url, 'ada')
    await using eve = await connect(there.url, 'eve')
    await ada.trigger(skill)
    expect(await refusal(eve, 'skills::register', skill.payload)).toContain("belongs to the worker 'ada'")
  })

  it('fails closed: who owns a record must be readable', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    await using ada = await connect(engine.url, 'ada')
    await using eve = await connect(engine.url, 'eve')
    await ada.trigger(skill)
    using broken = engine.inject({ fault: 'fail-call', function: 'state::get', message: 'disk on fire' })
    expect(await refusal(eve, 'skills::register', skill.payload)).toContain('disk on fire')
    expect(broken.struck).toBeGreaterThan(0)
    broken()
    expect(await owners(registry)).toEqual(['ada'])
  })

  it('is a setting that counts from the next call on', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await using ada = await connect(engine.url, 'ada')
    await using eve = await connect(engine.url, 'eve')
    await ada.trigger(skill)
    registry.settings.value = { ...registry.settings.value, ownership: 'strict' }
    expect(await refusal(eve, 'skills::register', skill.payload)).toContain("'ada'")
    registry.settings.value = { ...registry.settings.value, ownership: 'open' }
    await eve.trigger(skill)
    expect(await owners(registry)).toEqual(['eve'])
  })
})
