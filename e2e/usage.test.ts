import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runToEnd } from './child.ts'
import { root } from './source-files.ts'

const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: Record<string, string>
}
/** The files of the commands of this repository that are for whoever works on it. */
const commands = new Set(
  Object.entries(scripts).flatMap(([name, line]) => {
    const [, file] = /--import tsx (e2e\/\S+)/.exec(line) ?? []
    return file === undefined || name === 'start' ? [] : [file]
  }),
)

const run = (...args: string[]) => runToEnd({ name: 'suites', entry: new URL('suites/main.ts', import.meta.url), args })

it('a command that is asked says how it is used, and does nothing else', async () => {
  for (const args of [
    ['engine', '--help'],
    ['engine', '--', '-h'],
  ]) {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^pnpm test:NAME [\s\S]* test:times /)
  }
})

it('a command that knows no such word ends with 2 and what would be right', async () => {
  expect(await run('engines')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('there are engine,'),
  })
})

it('all commands are run in that one way', () => {
  expect(commands.size).toBe(6)
  const oneWay = /\nawait runWithUsage\((?:\w+_)?USAGE, /
  const others = [...commands].filter((file) => !oneWay.test(readFileSync(new URL(file, root), 'utf8')))
  expect(others).toEqual([])
})
