import { startMockEngine } from '@iii/mock-engine'
import { publish, registerWorker } from '@iii/sdk'
import { expect, it, vi } from 'vitest'
import { createTextLog } from '../testing/recorded-log.ts'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const WITHIN = { timeout: 10_000, interval: 5 }
const toSkill = (id: string) => ({ id, skill: `# ${id}\n\nWhat ${id} is for.` })
const PUBLISHED = Array.from({ length: 10 }, (_, at) => toSkill(`published-${at}`))
const REGISTERED = Array.from({ length: 10 }, (_, at) => toSkill(`registered-${at}`))
const ALL = [...PUBLISHED, ...REGISTERED].map(({ id }) => id).sort()

interface Answers {
  lists: string[][]
  pages: string[]
}

/** Asks for list and index page again and again until disposed of, and keeps every answer that is no error. */
function askAllTheTime({ call }: TestRegistry): Answers & AsyncDisposable {
  const answers: Answers = { lists: [], pages: [] }
  let isOver = false
  const done = (async () => {
    while (!isOver) {
      await call<{ skills: { id: string }[] }>('skills::list').then(
        ({ skills }) => answers.lists.push(skills.map(({ id }) => id)),
        () => undefined,
      )
      const uri = 'iii://skills'
      await call<{ contents: { text: string }[] }>('skills::resources-read', { uri }).then(
        ({ contents }) => answers.pages.push(contents[0]?.text ?? ''),
        () => undefined,
      )
    }
  })()
  return {
    ...answers,
    async [Symbol.asyncDispose]() {
      isOver = true
      await done
    },
  }
}

it('a wiped store is given everything back: by the registry and by publishers, each with one line in its log, and nobody sees less in between', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  const publisherLog = createTextLog()
  await using publisher = registerWorker(engine.url, { name: 'publisher', log: publisherLog })
  const published = () => publisherLog.said.filter((line) => line === 'info: published')
  await publish(publisher, { skills: PUBLISHED }).settled
  for (const skill of REGISTERED) await registry.call('skills::register', skill)
  const { lists, pages } = await (async () => {
    await using answers = askAllTheTime(registry)
    await engine.restart({ state: 'lose', downMs: 50 })
    await vi.waitFor(async () => expect(await engine.call('state::list', { scope: 'skills' })).toHaveLength(20), WITHIN)
    await vi.waitFor(() => expect(published()).toHaveLength(2), WITHIN)
    await vi.waitFor(() => expect([answers.lists, answers.pages]).not.toContainEqual([]), WITHIN)
    return answers
  })()

  for (const list of lists) expect(list).toEqual(ALL)
  for (const page of pages) expect(ALL.filter((id) => !page.includes(`(iii://${id})`))).toEqual([])
  const healed = 'the engine came back without its state: wrote the skills back that were still known'
  expect(registry.warnings).toEqual([expect.objectContaining({ text: healed, scope: 'skills', lost: 0 })])
  for (const { id, skill } of [...PUBLISHED, ...REGISTERED]) {
    const read = await registry.call('skills::resources-read', { uri: `iii://${id}` })
    expect(read).toMatchObject({ contents: [{ text: skill }] })
  }
})
