import {
  Fault,
  InputRequired,
  parseUri,
  promptsFunctions,
  skillsFunctions,
  toPromptMessages,
  toSectionContent,
} from '@iii/protocol'
import { registerWorker, serveContract, type Worker } from '@iii/sdk'

/** A registry with a few rows, as a worker of its own. */
export interface SkillsWorker extends AsyncDisposable {
  readonly worker: Worker
  readonly skills: Map<string, string>
  /** Handlers by prompt name. */
  readonly prompts: Map<string, string>
  /** What each function was called with, beside its payload. */
  readonly sidecars: unknown[]
}

/**
 * Serves what the bridge asks of a registry, on the contracts of the real one.
 *
 * @param namesHandlers whether it has `prompts::list`, which alone tells the functions behind prompts
 */
export async function startSkillsWorker(url: string, { namesHandlers = true } = {}): Promise<SkillsWorker> {
  const worker = registerWorker(url, { name: 'skills' })
  const skills = new Map([['orders', '# Orders\n\nRead iii://orders/refunds too.']])
  const prompts = new Map<string, string>()
  const sidecars: unknown[] = []

  async function read(uri: string, metadata: unknown) {
    sidecars.push(metadata)
    const address = parseUri(uri)
    if (address?.kind === 'index') return { uri, mimeType: 'text/markdown', text: `# Skills\n\n${[...skills.keys()]}` }
    if (address?.kind === 'section') {
      const value = await worker.trigger({ function_id: address.functionId, metadata })
      return { uri, ...toSectionContent(value) }
    }
    const text = address && skills.get(address.id)
    if (text === undefined) throw new Fault('not_found', `Skill not found: ${address?.id}`)
    return { uri, mimeType: 'text/markdown', text }
  }

  serveContract(worker, skillsFunctions.resourcesList, () => ({
    resources: [
      { uri: 'iii://skills', name: 'skills', mimeType: 'text/markdown' },
      ...[...skills.keys()].map((id) => ({ uri: `iii://${id}`, name: id, mimeType: 'text/markdown' })),
    ],
  }))
  serveContract(worker, skillsFunctions.resourcesTemplates, () => ({
    resourceTemplates: [{ uriTemplate: 'iii://{skill_id}', name: 'Skill' }],
  }))
  serveContract(worker, skillsFunctions.resourcesRead, async ({ uri }, metadata) => {
    const address = parseUri(uri)
    if (address?.kind !== 'section') return { contents: [await read(uri, metadata)] }
    sidecars.push(metadata)
    const value = await worker.trigger({ function_id: address.functionId, metadata })
    // Questions pass as they are.
    return InputRequired.safeParse(value).success
      ? (value as never)
      : { contents: [{ uri, ...toSectionContent(value) }] }
  })
  serveContract(worker, skillsFunctions.fetch, async ({ uri, uris }, metadata) => {
    const asked = (uris ?? [uri ?? '']).filter((address) => address.trim() !== '')
    if (asked.length === 0) throw new Fault('invalid_input', 'Provide uri or a non-empty uris array')
    return (await Promise.all(asked.map((address) => read(address.trim(), metadata))))
      .map(({ text }) => text)
      .join('\n---\n')
  })
  const listPrompts = () => ({
    prompts: [...prompts].map(([name, function_id]) => ({ name, function_id, arguments: 0, registered_at: '' })),
  })
  if (namesHandlers) serveContract(worker, promptsFunctions.list, listPrompts)
  serveContract(worker, promptsFunctions.mcpList, () => ({
    prompts: [...prompts.keys()].map((name) => ({ name, description: `Prompt ${name}` })),
  }))
  serveContract(worker, promptsFunctions.mcpGet, async ({ name, arguments: input }, metadata) => {
    sidecars.push(metadata)
    const functionId = prompts.get(name)
    if (functionId === undefined) throw new Fault('not_found', `Prompt not found: ${name}`)
    const value = await worker.trigger({ function_id: functionId, payload: input ?? {}, metadata })
    return InputRequired.safeParse(value).success
      ? (value as never)
      : { description: `Prompt ${name}`, messages: toPromptMessages(value) }
  })
  await worker.ready()
  return {
    worker,
    skills,
    prompts,
    sidecars,
    [Symbol.asyncDispose]: () => worker.shutdown(),
  }
}
