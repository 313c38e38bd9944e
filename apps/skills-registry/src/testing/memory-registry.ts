import { createHash } from 'node:crypto'
import { Fault, type RegisterSkillInput, type SkillFile } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { toBytes } from '../files/file-records.ts'

/** A registry in the test's hands: what an operator's commands call, kept in memory. */
export interface MemoryRegistry {
  /** Bodies by id. */
  skills: Map<string, string>
  /** Files by the ids of their skills. */
  files: Map<string, readonly SkillFile[]>
  /** Descriptions by name. */
  prompts: Map<string, string>
  /** Added to the rows of both lists. */
  row: Record<string, unknown>
  /** How many the lists leave out, beside those in the maps that they leave out already. */
  leftOut: number
  hidden: Set<string>
  /** Every call in order: `skills::register a`. */
  calls: string[]
  /** The most calls that were under way at once. */
  peak: number
  /** Runs before a call is answered; what it throws is the answer. */
  before: (call: string) => unknown
  /** Answers like the engine would. */
  call(functionId: string, payload: Record<string, unknown>): Promise<unknown>
}

const registered_at = '2026-11-21T09:30:00.000Z'

export function createMemoryRegistry(skills: Readonly<Record<string, string>> = {}): MemoryRegistry {
  let running = 0
  const registry: MemoryRegistry = {
    skills: new Map(Object.entries(skills)),
    files: new Map(),
    prompts: new Map(),
    row: {},
    leftOut: 0,
    hidden: new Set(),
    calls: [],
    peak: 0,
    before: () => undefined,
    async call(functionId, payload) {
      const name = [functionId, payload['id'] ?? payload['name'] ?? payload['uri'] ?? []].flat().join(' ')
      registry.calls.push(name)
      registry.peak = Math.max(registry.peak, ++running)
      try {
        await registry.before(name)
        return answer(registry, functionId, payload)
      } finally {
        running -= 1
      }
    },
  }
  return registry
}

/** Puts it on an engine. */
export async function serveMemoryRegistry(worker: Worker, registry: MemoryRegistry): Promise<void> {
  for (const functionId of Object.keys(ANSWERS)) {
    worker.registerFunction(functionId, (payload: Record<string, unknown>) => registry.call(functionId, payload))
  }
  await worker.ready({ timeoutMs: 5000 })
}

function toCount(files: readonly SkillFile[] = []): { files?: number } {
  return files.length > 0 ? { files: files.length } : {}
}

function answer(registry: MemoryRegistry, functionId: string, payload: Record<string, unknown>): unknown {
  const find = ANSWERS[functionId]
  if (find === undefined) throw new Error(`no ${functionId} here`)
  return find(registry, payload)
}

const ANSWERS: Readonly<Record<string, (registry: MemoryRegistry, payload: Record<string, unknown>) => unknown>> = {
  'skills::list': ({ skills, files, row, leftOut, hidden }) => ({
    skills: [...skills]
      .filter(([id]) => !hidden.has(id))
      .map(([id, body]) => ({ id, bytes: Buffer.byteLength(body), registered_at, ...toCount(files.get(id)), ...row })),
    ...(leftOut + hidden.size > 0 ? { left_out: leftOut + hidden.size } : {}),
  }),
  'skills::resources-list': ({ skills }) => ({
    resources: [...skills.keys()].map((id) => ({ uri: `iii://${id}`, name: id, title: `The ${id}` })),
  }),
  'skills::resources-read': ({ skills }, { uri }) => {
    const text = skills.get(String(uri).slice('iii://'.length))
    if (text === undefined) throw new Fault('not_found', `Skill not found: ${uri}`)
    return { contents: [{ uri, mimeType: 'text/markdown', text }] }
  },
  'skills::files': ({ files }, { id }) => ({
    files: (files.get(String(id)) ?? []).map((file) => ({
      path: file.path,
      sha256: createHash('sha256').update(toBytes(file)).digest('hex'),
      bytes: toBytes(file).length,
      mimeType: 'text/plain',
    })),
  }),
  'skills::file-read': ({ files }, { id, path }) => {
    const { text, base64 } = files.get(String(id))?.find((file) => file.path === path) ?? {}
    return text === undefined ? { base64 } : { text }
  },
  'skills::register': ({ skills, files }, payload) => {
    const { id, skill, files: given = [] } = payload as RegisterSkillInput
    skills.set(id, skill)
    files.set(id, given)
    return { id, registered_at }
  },
  'skills::unregister': ({ skills, files }, { id }) => {
    files.delete(String(id))
    return { id, removed: skills.delete(String(id)) }
  },
  'skills::lint': ({ skills }, { id }) => ({ findings: [], skills: id === undefined ? skills.size : 1 }),
  'prompts::list': ({ prompts, row }) => ({
    prompts: [...prompts.keys()].map((name) => ({
      name,
      function_id: `on::${name}`,
      arguments: 1,
      registered_at,
      ...row,
    })),
  }),
  'prompts::mcp-list': ({ prompts }) => ({
    prompts: [...prompts].map(([name, description]) => ({ name, description })),
  }),
  'prompts::unregister': ({ prompts }, { name }) => ({ name, removed: prompts.delete(String(name)) }),
}
