import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

interface SkillList {
  skills: { id: string }[]
}

const call = <T = unknown>(function_id: string, payload: object = {}, on = stack) =>
  on.worker.trigger<T>({ function_id, payload, timeoutMs: 5000 })

async function listIds(on = stack): Promise<string[]> {
  return (await call<SkillList>('skills::list', {}, on)).skills.map(({ id }) => id)
}

async function readSkill(uri: string, on = stack): Promise<string | undefined> {
  const { contents } = await call<{ contents: { text: string }[] }>('skills::resources-read', { uri }, on)
  return contents[0]?.text
}

/** Each skill has a file of its own. */
const registerWithFile = (id: string, on: Stack) =>
  call('skills::register', { id, skill: `# ${id}`, files: [{ path: 'notes/Note.txt', text: `of ${id}` }] }, on)

/** The skills are read as they were registered, with their files, and the files are in the store. */
async function expectWithFiles(ids: readonly string[], on: Stack): Promise<void> {
  const rows = () => call<unknown[]>('state::list', { scope: 'skills::files' }, on).catch(() => [])
  await until(async () => (await rows()).length === ids.length, { what: 'the files to be back in the store' })
  for (const id of ids) {
    expect(await readSkill(`iii://${id}`, on)).toBe(`# ${id}`)
    expect(await readSkill(`skill://${id}/notes/Note.txt`, on)).toBe(`of ${id}`)
  }
}

scenario(
  ['store/taken-over'],
  'what another program stored is served by the first registry, and lies there as it was',
  async () => {
    const rows = ['old', 'old/child', 'functions/old'].map((id) => ({
      id,
      skill: `\uFEFF# ${id}\r\n\r\nFrom before.`,
      registered_at: '2026-05-05T00:00:00.000000Z',
    }))
    for (const row of rows) await call('state::set', { scope: 'skills', key: row.id, value: row })
    const prompt = { name: 'old', description: 'From before', arguments: [], function_id: 'old::prompt' }
    const stored = { ...prompt, registered_at: '2026-05-05T00:00:00.000000Z' }
    await call('state::set', { scope: 'prompts', key: 'old', value: stored })
    await stack.startSkills()
    expect(await listIds()).toEqual(['functions/old', 'old', 'old/child'])
    expect(await readSkill('iii://old/child')).toBe(rows[1]?.skill)
    expect(await readSkill('iii://skills')).toContain(
      '- [old](iii://old) — From before.\n  - [old/child](iii://old/child)',
    )
    expect(await call('prompts::list')).toMatchObject({ prompts: [{ name: 'old', function_id: 'old::prompt' }] })
    for (const row of rows) expect(await call('state::get', { scope: 'skills', key: row.id })).toEqual(row)
    expect(await call('state::get', { scope: 'prompts', key: 'old' })).toEqual(stored)
  },
)

scenario(
  ['store/behind-its-back'],
  'what an operator writes to the store, overwrites and deletes there is served within a second or so',
  async () => {
    const write = (skill: string) =>
      call('state::set', {
        scope: 'skills',
        key: 'by-hand',
        value: { id: 'by-hand', skill, registered_at: new Date().toISOString() },
      })
    const shows = (text: string) => until(async () => (await readSkill('iii://skills'))?.includes(text), { what: text })
    await write('# Written by hand')
    await shows('[Written by hand](iii://by-hand)')
    expect(await listIds()).toContain('by-hand')
    await write('# Another title')
    await shows('[Another title](iii://by-hand)')
    await call('state::delete', { scope: 'skills', key: 'by-hand' })
    await until(async () => !(await listIds()).includes('by-hand'), { what: 'the deleted skill to be gone' })
    await expect(readSkill('iii://by-hand')).rejects.toThrow(/Skill not found: by-hand/)
  },
)

scenario(
  ['store/wiped'],
  'what the engine forgot at a restart is written back, and no list is short in between',
  async () => {
    await using wiped = await startStack({ workers: ['skills', 'orders'] })
    const kept = Array.from({ length: 20 }, (_, n) => `kept-${String(n).padStart(2, '0')}`)
    for (const id of kept) await registerWithFile(id, wiped)
    const prompt = { name: 'kept', description: 'Kept', function_id: 'kept::prompt' }
    await call('prompts::register', prompt, wiped)
    const publications = () => wiped.children.get('orders')?.stderr.filter((line) => line.includes('"msg":"published"'))
    await until(() => publications()?.length === 1, { what: 'the sample worker to publish' })
    const before = await listIds(wiped)
    expect(before).toEqual([...kept, 'orders', 'orders/refunds'])
    await wiped.stop('engine')
    await wiped.startEngine()
    const lists = new Set<string>()
    const isBack = async () => {
      lists.add((await listIds(wiped)).join())
      return (await call<unknown[]>('state::list', { scope: 'skills' }, wiped)).length === before.length
    }
    await until(isBack, { what: 'the skills to be back in the store' })
    expect([...lists]).toEqual([before.join()])
    await expectWithFiles(kept, wiped)
    const { prompts } = await call<{ prompts: { name: string }[] }>('prompts::list', {}, wiped)
    expect(prompts.map(({ name }) => name)).toEqual(['kept', 'refund-order'])
    await wiped.children.get('skills')?.line(/came back without its state.*still known/)
    await until(() => publications()?.length === 2, { what: 'the sample worker to publish again' })
  },
)

scenario(
  ['store/wiped-unread'],
  'what nobody has read since the registry was started is written back after a restart of the engine',
  async () => {
    await using wiped = await startStack({ workers: ['skills'] })
    const kept = Array.from({ length: 5 }, (_, n) => `kept-${n}`)
    for (const id of kept) await call('skills::register', { id, skill: `# ${id}` }, wiped)
    await wiped.stop('skills')
    await wiped.startSkills()
    expect(await listIds(wiped)).toEqual(kept)
    await wiped.stop('engine')
    await wiped.startEngine()
    const rows = () => call<unknown[]>('state::list', { scope: 'skills' }, wiped).catch(() => [])
    await until(async () => (await rows()).length === kept.length, { what: 'the skills to be back in the store' })
    for (const id of kept) expect(await readSkill(`iii://${id}`, wiped)).toBe(`# ${id}`)
  },
)
