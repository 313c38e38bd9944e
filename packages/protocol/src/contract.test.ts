import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  PROMPTS_ON_CHANGE,
  PROMPTS_ON_CHANGE_DESCRIPTION,
  PromptChange,
  SKILLS_ON_CHANGE,
  SKILLS_ON_CHANGE_DESCRIPTION,
  SkillChange,
} from './changes.ts'
import type { FunctionContract } from './contract.ts'
import { readMcpMetadata } from './metadata.ts'
import { PromptRow, promptsFunctions } from './prompts.ts'
import { SkillRow, skillsFunctions } from './skills.ts'
import { type ReferenceField, type ReferenceObject, registryReference } from './testing/registry-reference.ts'

const contracts: FunctionContract[] = [...Object.values(skillsFunctions), ...Object.values(promptsFunctions)]

/** What registries of this project take beyond the reference, and others pass over. */
function isOurs(id: string, field: string): boolean {
  return field === 'files' || field === 'lease' || (id === 'prompts::list' && field === 'name')
}

describe('the functions of the registry', () => {
  it('are the thirteen of the reference', () => {
    expect(contracts.map((contract) => contract.id).sort()).toEqual(Object.keys(registryReference).sort())
  })

  it.each(contracts)(
    '$id has the description and the request of the reference, but for what is ours',
    ({ id, description, request }) => {
      const { description: expected, ...object } = registryReference[id] ?? {
        description: 'unknown',
        fields: {},
        required: [],
      }
      expect(description).toBe(expected)
      const { fields, required } = readObject(z.toJSONSchema(request, { target: 'draft-7', io: 'input' }))
      const theirs = Object.fromEntries(Object.entries(fields).filter(([field]) => !isOurs(id, field)))
      expect({ fields: theirs, required }).toEqual(object)
    },
  )

  it('expose skill::fetch alone', () => {
    expect(contracts.filter((contract) => contract.metadata).map((contract) => contract.id)).toEqual(['skill::fetch'])
    expect(readMcpMetadata(skillsFunctions.fetch.metadata)).toEqual({
      expose: true,
      title: 'Fetch skills',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    })
  })

  it.each(contracts)('$id ignores keys it does not know', ({ request, unknownKeys }) => {
    expect(unknownKeys).toBe('ignore')
    const payload = { id: 'a', skill: 'a', uri: 'iii://a', name: 'a', description: 'a', function_id: 'a::b' }
    const { _caller_worker_id: _, ...known } = z
      .looseObject({})
      .parse(request.parse({ ...payload, _caller_worker_id: 'w' }))
    expect(known).toEqual(request.parse(payload))
  })
})

/** JSON Schema in the terms of the reference, whichever way the types are spelled. */
function readObject(schema: z.core.JSONSchema.BaseSchema): ReferenceObject {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, readField(field)] as const)
  expect(schema.type).toBe('object')
  expect(schema.additionalProperties).toBeUndefined()
  return { fields: Object.fromEntries(fields), required: [...(schema.required ?? [])].sort() }
}

function readField(schema: z.core.JSONSchema._JSONSchema): ReferenceField {
  if (typeof schema === 'boolean') return { type: [] }
  const variants = [schema, ...(schema.anyOf ?? [])].filter((variant) => typeof variant !== 'boolean')
  const items = variants.map((variant) => variant.items).find((item) => item !== undefined)
  return {
    type: variants.flatMap((variant) => variant.type ?? []).sort(),
    ...('default' in schema && { default: schema.default }),
    ...(schema.description !== undefined && { description: schema.description }),
    ...(items !== undefined && { items: readItems(items) }),
  }
}

function readItems(items: z.core.JSONSchema.BaseSchema['items']): NonNullable<ReferenceField['items']> {
  if (typeof items !== 'object' || Array.isArray(items)) throw new Error('items must be one schema')
  return items.properties ? readObject(items) : { type: readField(items).type }
}

describe('what the registry answers', () => {
  it.each<[FunctionContract, unknown]>([
    [skillsFunctions.register, { id: 'a', registered_at: '2026-01-01T00:00:00Z' }],
    [skillsFunctions.unregister, { id: 'a', removed: true }],
    [skillsFunctions.list, { skills: [{ id: 'a', bytes: 3, registered_at: 't' }] }],
    [skillsFunctions.resourcesList, { resources: [{ uri: 'iii://a', name: 'A', mimeType: 'text/markdown', size: 3 }] }],
    [skillsFunctions.resourcesRead, { contents: [{ uri: 'iii://a', mimeType: 'text/markdown', text: '# A' }] }],
    [skillsFunctions.resourcesRead, { contents: [{ uri: 'iii://a', blob: 'AA==' }] }],
    [skillsFunctions.resourcesTemplates, { resourceTemplates: [{ uriTemplate: 'iii://{skill_id}', name: 'Skill' }] }],
    [skillsFunctions.fetch, '# iii://a\n\nbody'],
    [promptsFunctions.register, { name: 'a', registered_at: 't' }],
    [promptsFunctions.unregister, { name: 'a', removed: false }],
    [promptsFunctions.list, { prompts: [{ name: 'a', function_id: 'a::b', arguments: 2, registered_at: 't' }] }],
    [
      promptsFunctions.mcpList,
      { prompts: [{ name: 'a', description: 'd', arguments: [{ name: 'to', required: true }] }] },
    ],
    [promptsFunctions.mcpGet, { description: 'd', messages: [{ role: 'user', content: { type: 'text', text: 'a' } }] }],
  ])('passes its schema ($id)', (contract, answer) => {
    expect(contract.response.parse(answer)).toEqual(answer)
  })

  it.each<[FunctionContract, unknown]>([
    [skillsFunctions.list, { skills: [{ id: 'a', bytes: -1, registered_at: 't' }] }],
    [skillsFunctions.resourcesRead, { contents: [{ uri: 'iii://a' }] }],
    [skillsFunctions.fetch, { text: 'a' }],
    [promptsFunctions.mcpGet, { messages: [{ role: 'system', content: { type: 'text', text: 'a' } }] }],
  ])('of another shape does not pass ($id)', (contract, answer) => {
    expect(contract.response.safeParse(answer).success).toBe(false)
  })
})

it('a prompt that is registered has its defaults filled in', () => {
  const payload = { name: 'a', description: 'd', function_id: 'a::b' }
  expect(promptsFunctions.register.request.parse(payload)).toEqual({ ...payload, arguments: [] })
  const withArgument = { ...payload, arguments: [{ name: 'to', description: null }] }
  expect(promptsFunctions.register.request.parse(withArgument).arguments).toEqual([
    { name: 'to', description: null, required: false },
  ])
  expect(promptsFunctions.mcpGet.request.parse({ name: 'a' })).toEqual({ name: 'a', arguments: null })
})

it('rows are what the iii skills worker stores', () => {
  const skill = { id: 'a/b', skill: '# A', registered_at: '2026-05-01T10:00:00.123456789+00:00' }
  const prompt = {
    name: 'a',
    description: 'd',
    arguments: [{ name: 'to', description: 'whom', required: true }],
    function_id: 'a::b',
    registered_at: '2026-05-01T10:00:00.123456789+00:00',
  }
  expect(SkillRow.parse(skill)).toEqual(skill)
  expect(PromptRow.parse(prompt)).toEqual(prompt)
})

it('changes have one trigger type each, and one event', () => {
  expect([SKILLS_ON_CHANGE, PROMPTS_ON_CHANGE]).toEqual(['skills::on-change', 'prompts::on-change'])
  expect(SKILLS_ON_CHANGE_DESCRIPTION).toBe('Fires after any mutation of the skills registry (register / unregister).')
  expect(PROMPTS_ON_CHANGE_DESCRIPTION).toBe(
    'Fires after any mutation of the prompts registry (register / unregister).',
  )
  expect(SkillChange.parse({ op: 'register', id: 'a', changed: false })).toEqual({
    op: 'register',
    id: 'a',
    changed: false,
  })
  expect(PromptChange.parse({ op: 'unregister', name: 'a', changed: true }).op).toBe('unregister')
  expect(SkillChange.safeParse({ op: 'move', id: 'a', changed: true }).success).toBe(false)
})
