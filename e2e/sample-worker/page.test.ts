import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, hasFunctions } from '../facts.ts'
import { readCodeBlocks, readFiles, readPage } from '../pages.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'

/** What the pages show of the sample is in the sample, and the files that `docs/writing-a-worker.md` gives in full work. */
const page = readPage('docs/writing-a-worker.md')
const pages = [page, readPage('docs/sample-worker.md')]
const files = readFiles(page)
const cleanup = createCleanup()
let folder: string

beforeAll(async () => {
  folder = cleanup.use(await createTempFolder()).path
  await symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), join(folder, 'node_modules'), 'junction')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  // The example of a test lies beside the sample.
  await cp(new URL('./', import.meta.url), join(folder, 'sample-worker'), { recursive: true })
  for (const [name, code] of files) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), code)
  }
})
afterAll(() => cleanup.run())

it('every excerpt is in the sample', () => {
  const here = new URL('./', import.meta.url)
  const sources = readdirSync(here).filter((name) => name.endsWith('.ts'))
  const sample = sources.map((name) => readFileSync(new URL(name, here), 'utf8')).join('\n')
  const whole = [...files.values()]
  const blocks = pages.flatMap(readCodeBlocks)
  const excerpts = blocks.filter(({ language, code }) => language === 'ts' && !whole.includes(code))
  expect(excerpts.length).toBeGreaterThan(10)
  for (const { code } of excerpts) expect(sample).toContain(code)
})

it('tea is made as it is asked for, and the pot is taken once', async () => {
  await using engine = await startMockEngine()
  await using caller = connectToEngine(engine.url, 'caller')
  const told: unknown[] = []
  for (const what of ['progress', 'log']) {
    caller.registerFunction(`mcp::stand-in::${what}`, (report) => {
      told.push(report)
      return { delivered: true }
    })
  }
  await using _tea = startChild({
    name: 'tea',
    entry: pathToFileURL(join(folder, 'tea/main.ts')),
    args: ['--url', engine.url],
  })
  await until(() => hasFunctions(caller, ['tea::make']), { what: 'the worker' })
  const make = (mcp: object) => caller.trigger({ function_id: 'tea::make', payload: { cups: 2 }, metadata: { mcp } })

  expect(await caller.trigger({ function_id: 'tea::make' })).toEqual({ made: 2, kind: 'black', sugar: 0 })
  const client = { call_id: 'c1', via: 'mcp::stand-in', progress: true, client_capabilities: { elicitation: {} } }
  const asked = (await make(client)) as { input_requests: object; request_state: string }
  const [[key = '', question] = []] = Object.entries(asked.input_requests)
  expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Which tea for 2?' } })
  const answer = { action: 'accept', content: { kind: 'green', sugar: 1 } }
  const result = await make({ ...client, input_responses: { [key]: answer }, request_state: asked.request_state })
  expect(result).toEqual({ made: 2, kind: 'green', sugar: 1 })
  expect(told).toMatchObject([{ progress: 1 }, { progress: 2, message: 'Cup 2 is ready' }, { level: 'info' }])
  const pots = await caller.trigger({ function_id: 'state::get', payload: { scope: 'tea', key: 'pots' } })
  expect(pots).toEqual({ n: 2 })
})
