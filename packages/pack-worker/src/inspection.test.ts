import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readProgram } from './inspection.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'iii-pack-worker-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function read(text: string, env: Record<string, string> = {}) {
  const script = join(folder, 'tea.mjs')
  await writeFile(script, text)
  return await readProgram('tea', script, { PATH: '/usr/bin', ...env })
}

it('says what a file that cannot be found has to do with packing', async () => {
  const reads = "import { readFileSync } from 'node:fs'\nreadFileSync('/none/tea.md')\n"
  await expect(read(reads)).rejects.toThrow(
    /^tea does not start where nothing of its project can be found:[\s\S]*\/none\/tea\.md[\s\S]*import\.meta\.url\), 'utf8'\)$/,
  )
})

it('says at once that a program ends before it is ready, with its last words', async () => {
  const manifest = JSON.stringify({ supported_targets: [] })
  const ends = `if (process.argv[2] === '--manifest') console.log('${manifest}')\nelse console.error('no luck')\n`
  await expect(read(ends)).rejects.toThrow(/^tea ended by itself where nothing of its project can be found:\nno luck$/)
})

it('says what starts a worker where a program does not tell what it is', async () => {
  for (const text of ['', 'console.log("null")', 'console.log("{}")']) {
    await expect(read(text)).rejects.toThrow(/^tea does not print its manifest .*--main FILE.* runWorker .*--no-start/)
  }
})

it('starts a program without what the Node that packs was told', async () => {
  const tells = "throw new Error(process.env['NODE_OPTIONS'] ?? 'nothing was told')"
  await expect(read(tells, { NODE_OPTIONS: '--require /none/pnp.cjs' })).rejects.toThrow('Error: nothing was told')
})

it('ends a program that does not end when it is told to', async () => {
  const manifest = JSON.stringify({ supported_targets: ['linux'] })
  const stays = `process.on('SIGTERM', () => {})
if (process.argv[2] === '--manifest') console.log('${manifest}')
if (process.argv[2] !== '--manifest') setInterval(() => console.error('{"msg":"ready"}'), 100)
`
  expect(await read(stays)).toEqual({ offered: { functions: [], triggers: [] }, targets: ['linux'] })
})
