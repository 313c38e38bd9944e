import type { Worker } from '@iii/sdk'
import type { SentMessage } from '../../raw-client.ts'
import type { SoakClient } from '../http-clients.ts'
import type { CallVerdict } from '../ledger.ts'
import type { Model } from '../model.ts'
import { type Operation, RIGHT, refused, toWrong } from '../operation.ts'
import { pick } from '../random.ts'

const SKILLS = 150
const FILLER = 'What this skill says is of no matter. '.repeat(20)
/** A bridge that cannot hear of changes, because its connection is dead or has just come back, lists what there was so long ago. */
const UNHEARD_MS = 1_000
/** Not found: which no skill is that was acknowledged. */
const ABSENT = new Set([-32002, -32602])

/** Skills that were acknowledged are read as they were last written, and are in every list. */
/** @param isCalm whether nothing is broken at this moment */
export function createSkills(control: Worker, model: Model, isCalm: () => boolean): Operation[] {
  return [
    {
      ...{ name: 'skills::register', weight: 4 },
      run: (_, random) => registerSkill(control, model, toWritable(model, `soak-${Math.floor(random() * SKILLS)}`)),
    },
    {
      ...{ name: 'resources/read', weight: 14 },
      async run(client, random) {
        const there = model.ids()
        if (there.length === 0) return RIGHT
        return await judgeSkill(model, pick(random, there), client)
      },
    },
    {
      ...{ name: 'resources/list', weight: 1 },
      async run(client) {
        const wasCalm = isCalm()
        const heard = new Set(model.ids(UNHEARD_MS))
        const all = model.ids().map((id) => ({ id, expected: model.expect(id) }))
        const { uris, error } = await listAll(client.ask.bind(client))
        if (error !== undefined) return refused(error)
        const expected = wasCalm && isCalm() ? all : all.filter(({ id }) => heard.has(id))
        const missing = expected.flatMap(({ id, expected: of }) => {
          const problem = uris.has(`iii://${id}`) ? undefined : of.judge(undefined)
          return problem ?? []
        })
        // Without a registry lists have nothing of it, as documented; never a part.
        if (missing.length === expected.length && missing.length > 0 && !(wasCalm && isCalm()))
          return refused('no registry')
        return missing.length === 0 ? RIGHT : toWrong(`a short list: ${missing.length} missing, ${missing[0]}`)
      },
    },
  ]
}

/** This id, or the first one made of it that may be written. */
export function toWritable(model: Model, id: string): string {
  let writable = id
  for (let nth = 2; !model.isWritable(writable); nth++) writable = `${id}-${nth}`
  return writable
}

export async function judgeSkill(model: Model, id: string, client: SoakClient): Promise<CallVerdict> {
  const expected = model.expect(id)
  return judgeRead(await client.ask('resources/read', { uri: `iii://${id}` }), expected)
}

export async function registerSkill(control: Worker, model: Model, id: string): Promise<CallVerdict> {
  const writing = model.write(id)
  const payload = { id, skill: `# ${id} ${writing.version}\n\nversion ${writing.version}\n\n${FILLER}` }
  try {
    await control.trigger({ function_id: 'skills::register', payload })
    writing.acknowledged()
    return RIGHT
  } catch (error) {
    writing.failed()
    return refused(String(error))
  }
}

function judgeRead({ result, error }: SentMessage, expected: ReturnType<Model['expect']>): CallVerdict {
  if (error !== undefined) {
    const problem = ABSENT.has(error.code) && /not found|no (such )?skill|unknown/i.test(error.message)
    const missing = problem ? expected.judge(undefined) : undefined
    return missing === undefined ? refused(`${error.code} ${error.message}`) : toWrong(`${missing}: ${error.message}`)
  }
  const text = JSON.stringify(result)
  const version = /\\n\\nversion (\d+)\\n/.exec(text)?.[1]
  if (version === undefined) return toWrong(`no version in ${text}`)
  const problem = expected.judge(Number(version))
  return problem === undefined ? RIGHT : toWrong(problem)
}

type Ask = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<SentMessage>

async function listAll(ask: Ask): Promise<{ uris: ReadonlySet<string>; error?: string }> {
  const uris = new Set<string>()
  let cursor: string | undefined
  do {
    const { result, error } = await ask('resources/list', cursor === undefined ? {} : { cursor })
    if (error !== undefined) return { uris, error: `${error.code} ${error.message}` }
    for (const { uri } of (result?.['resources'] ?? []) as { uri: string }[]) uris.add(uri)
    cursor = result?.['nextCursor'] as string | undefined
  } while (cursor !== undefined)
  return { uris }
}
