import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { NODE_FLAG, SELF_STARTING } from './self-starting.ts'

const folder = mkdtempSync(join(tmpdir(), 'a $& "folder" '))

afterAll(() => rmSync(folder, { recursive: true }))

const TELL = '(function () { console.log(JSON.stringify([process.execArgv, process.argv.slice(1)])) })()\n'
const MODULE = `import 'node:process'\n${TELL}`

it.each([
  ['worker', TELL],
  ['worker.cjs', TELL],
  ['worker.mjs', MODULE],
])('starts Node with its flag, and runs in any Node: %s', (name, rest) => {
  const file = join(folder, name)
  writeFileSync(file, SELF_STARTING + rest, { mode: 0o755 })
  const args = ['--url', 'two words', '']
  const env = { PATH: dirname(process.execPath) }
  const run = (program: string, ...before: string[]) =>
    JSON.parse(execFileSync(program, [...before, ...args], { encoding: 'utf8', env }))
  expect(run(file)).toEqual([[NODE_FLAG], [file, ...args]])
  expect(run(process.execPath, file)).toEqual([[], [file, ...args]])
})
