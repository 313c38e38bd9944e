import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { SELF_STARTING } from './self-starting.ts'

const folder = mkdtempSync(join(tmpdir(), 'a $& "folder" '))

afterAll(() => rmSync(folder, { recursive: true }))

const TELL =
  '(function () { console.log(JSON.stringify([process.env.MALLOC_ARENA_MAX, process.execArgv, process.argv.slice(1)])) })()\n'
const MODULE = `import 'node:process'\n${TELL}`

it.each([
  ['worker', TELL],
  ['worker.cjs', TELL],
  ['worker.mjs', MODULE],
])('starts Node with less of what takes memory, and runs in any Node: %s', (name, rest) => {
  const file = join(folder, name)
  writeFileSync(file, SELF_STARTING + rest, { mode: 0o755 })
  const args = ['--url', 'two words', '']
  const own = { PATH: dirname(process.execPath) }
  const run = (program: string, before: string[], env: object = own) =>
    JSON.parse(execFileSync(program, [...before, ...args], { encoding: 'utf8', env: { ...env } }))
  expect(run(file, [])).toEqual(['1', ['--v8-pool-size=1'], [file, ...args]])
  expect(run('/bin/sh', [file])).toEqual(run(file, []))
  expect(run(file, [], { ...own, MALLOC_ARENA_MAX: '9' })[0]).toBe('9')
  expect(run(process.execPath, [file])).toEqual([null, [], [file, ...args]])
})
