import { startMockEngine } from '@iii/mock-engine'
import { promptsFunctions, skillsFunctions } from '@iii/protocol'
import { InvocationError } from '@iii/sdk'
import { describe, expect, it } from 'vitest'

import { subscribe } from './testing/events.ts'

import { startRegistry, type TestRegistry } from './testing/registry.ts'
import { type SeedField, seedFunctions, seedTriggers } from './testing/seed.ts'

interface Detail {
  function_id: string
  description: string
  metadata: Record<string, unknown>
  request_schema: Record<string, unknown>
  response_schema: Record<string, unknown>
}

const FUNCTIONS = [...Object.values(skillsFunctions), ...Object.values(promptsFunctions)].map(({ id }) => id)

type Schema = Record<string, unknown>

/** A JSON Schema of an object in the form of the reference: generators write the same thing in several ways. */
function toFields(schema: Schema): Record<string, SeedField> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>
  const required = (schema['required'] ?? []) as string[]
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, toField(property, required.includes(name))]),
  )
}

function toField(property: Schema, required: boolean): SeedField {
  const variants = (property['anyOf'] as Schema[] | undefined) ?? [property]
  const items = variants.map((variant) => variant['items'] as Schema | undefined).find((item) => item !== undefined)
  const field: SeedField = { types: variants.flatMap(({ type }) => (type ?? []) as string | string[]).sort() }
  if (items) field.items = items['type'] === 'object' ? toFields(items) : String(items['type'])
  if (typeof property['description'] === 'string') field.description = property['description']
  if ('default' in property) field.default = property['default']
  if (required) field.required = true
  return field
}

async function describeFunctions(registry: TestRegistry): Promise<Detail[]> {
  const { functions } = await registry.call<{ functions: Detail[] }>('engine::functions::info', {
    function_ids: FUNCTIONS,
  })
  return functions
}

describe('what the registry puts on the bus', () => {
  it('is the thirteen functions of the API reference, with their descriptions', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const functions = await describeFunctions(registry)
    const texts = functions.map(({ function_id, description }) => [function_id, description])
    expect(Object.fromEntries(texts)).toEqual(
      Object.fromEntries(seedFunctions.map(({ name, description }) => [name, description])),
    )
  })

  it('takes the payloads of the API reference: same fields, types, defaults and descriptions, and what is ours', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const requests = (await describeFunctions(registry)).map((detail) => [
      detail.function_id,
      toFields(detail.request_schema),
    ])
    const {
      'skills::register': { files, lease, ...register } = {},
      'prompts::register': { lease: ofPrompt, ...prompt } = {},
      'prompts::list': { name, ...list } = {},
      ...others
    } = Object.fromEntries(requests)
    expect([lease?.types, ofPrompt?.types, name?.types]).toEqual([['boolean'], ['boolean'], ['string']])
    expect(files?.types).toEqual(['array'])
    const theirs = { 'skills::register': register, 'prompts::register': prompt, 'prompts::list': list, ...others }
    expect(theirs).toEqual(Object.fromEntries(seedFunctions.map((fn) => [fn.name, fn.request])))
  })

  it('describes every result, those that the API reference leaves open included', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    for (const { function_id, response_schema } of await describeFunctions(registry)) {
      const { type, anyOf } = response_schema
      expect([function_id, type !== undefined || Array.isArray(anyOf)]).toEqual([function_id, true])
    }
  })

  it('exposes skill::fetch and nothing else by metadata', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const functions = await describeFunctions(registry)
    const exposed = functions.filter(({ metadata }) => metadata['mcp.expose'] === true)
    expect(exposed.map(({ function_id }) => function_id)).toEqual(['skill::fetch'])
  })

  it('is the two trigger types of the API reference', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    for (const { name, description } of seedTriggers) {
      expect(await registry.call('engine::triggers::info', { id: name })).toMatchObject({ id: name, description })
    }
  })

  it('is on the bus under the name of the worker', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const { workers } = await registry.call<{ workers: { name: string }[] }>('engine::workers::list')
    expect(workers.map(({ name }) => name)).toContain('skills')
  })
})

describe('the scopes', () => {
  it('are those of the settings, also when these change', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { skillsScope: 's1', promptsScope: 'p1' })
    await registry.call('skills::register', { id: 'a', skill: 'x' })
    await registry.call('prompts::register', { name: 'p', description: 'x', function_id: 'a::b' })
    expect(await registry.call('state::list', { scope: 's1' })).toMatchObject([{ id: 'a' }])
    expect(await registry.call('state::list', { scope: 'p1' })).toMatchObject([{ name: 'p' }])
    registry.settings.value = { ...registry.settings.value, skillsScope: 's2' }
    expect(await registry.call('skills::list')).toEqual({ skills: [] })
    await registry.call('skills::register', { id: 'b', skill: 'x' })
    expect(await registry.call('state::list', { scope: 's2' })).toMatchObject([{ id: 'b' }])
  })

  it('tell subscribers what is there and what is not when they change', async () => {
    await using engine = await startMockEngine()
    await using other = await startRegistry(engine.url, { skillsScope: 's2', promptsScope: 'p2' })
    const register = async ({ worker }: TestRegistry, id: string, skill: string) => {
      await worker.trigger({ function_id: 'skills::register', payload: { id, skill } })
      const prompt = { name: id, description: skill, function_id: 'a::b' }
      await worker.trigger({ function_id: 'prompts::register', payload: prompt })
    }
    for (const id of ['both', 'same', 'new']) await register(other, id, id === 'same' ? 'x' : 'y')
    await other[Symbol.asyncDispose]()
    await using registry = await startRegistry(engine.url)
    for (const id of ['both', 'same', 'old']) await register(registry, id, 'x')
    const skills = await subscribe<{ id: string; op: string }>(registry.client, 'skills::on-change', 'test::skills')
    const prompts = await subscribe<{ name: string; op: string }>(
      registry.client,
      'prompts::on-change',
      'test::prompts',
    )
    registry.settings.value = { ...registry.settings.value, skillsScope: 's2', promptsScope: 'p2' }
    const told = [
      ...(await skills.reach(3)).map(({ op, id }) => `${op} skill ${id}`),
      ...(await prompts.reach(3)).map(({ op, name }) => `${op} prompt ${name}`),
    ]
    const changes = ['register KIND both', 'register KIND new', 'unregister KIND old']
    expect(told.sort()).toEqual(
      ['prompt', 'skill'].flatMap((kind) => changes.map((each) => each.replace('KIND', kind))).sort(),
    )
  })

  it('of skills may be what that of prompts was until then', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { skillsScope: 'a', promptsScope: 'b' })
    registry.settings.value = { ...registry.settings.value, skillsScope: 'b', promptsScope: 'c' }
    await registry.call('skills::register', { id: 'a', skill: 'x' })
    expect(await registry.call('state::list', { scope: 'b' })).toMatchObject([{ id: 'a' }])
  })
})

describe('another instance of the registry', () => {
  it('serves what the first one stored, and registers nothing again', async () => {
    await using engine = await startMockEngine()
    const first = await startRegistry(engine.url)
    await first.call('skills::register', { id: 'a', skill: '# A' })
    await first.call('prompts::register', { name: 'p', description: 'x', function_id: 'a::b' })
    const { skills } = await first.call<{ skills: unknown[] }>('skills::list')
    await first[Symbol.asyncDispose]()
    await using second = await startRegistry(engine.url)
    expect(await second.call('skills::list')).toEqual({ skills })
    expect(await second.call('prompts::list')).toMatchObject({ prompts: [{ name: 'p' }] })
  })

  it('tells the subscribers of the one before', async () => {
    await using engine = await startMockEngine()
    await using subscriber = await startRegistry(engine.url)
    const events = await subscribe(subscriber.client, 'skills::on-change', 'test::on-change')
    await subscriber.worker.shutdown()
    await using second = await startRegistry(engine.url)
    await second.call('skills::register', { id: 'a', skill: 'x' })
    expect(await events.reach(1)).toEqual([{ op: 'register', id: 'a', changed: true }])
  })
})

describe('a subscription', () => {
  it('to an internal function is refused, and one to a bridge is not', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const refused = await new Promise<string>((resolve) => {
      registry.client.registerTrigger({
        type: 'skills::on-change',
        function_id: 'state::delete',
        onError: ({ message }) => resolve(message),
      })
    })
    expect(refused).toContain('state::delete')
    const events = await subscribe(registry.client, 'skills::on-change', 'mcp::b1::on-skills')
    await registry.call('skills::register', { id: 'a', skill: 'x' })
    expect(await events.reach(1)).toHaveLength(1)
  })
})

describe('a call that is not for the registry', () => {
  it('is not answered by it', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await expect(registry.call('skills::nothing')).rejects.toBeInstanceOf(InvocationError)
  })
})
