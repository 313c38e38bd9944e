import { describe, expect, it } from 'vitest'
import { readServers } from './read-servers.ts'

/** What is said of a server with these settings beside its command. */
function complain(entry: object): string[] {
  const [read] = readServers({ github: { command: 'x', ...entry } }, { folder: '/srv' })
  if (read === undefined) return []
  return ('config' in read ? read.warnings : read.problems).map(({ message }) => message)
}
/** `${TEXT}` */
const expand = (text: string) => `$${'{'}${text}}`
const place = 'servers.github.env.set.A'

describe('a variable', () => {
  const forms = '{ value: TEXT } for what is no secret, { env: NAME } or { file: PATH }'

  it.each<[object, unknown[]]>([
    [{ set: { A: 'hunter2' } }, [`${place}: must be ${forms}`]],
    [{ set: { A: { env: 'GH', file: 'x' } } }, [`${place}: must be ${forms}`]],
    [{ set: { A: { vale: 'hunter2' } } }, [`${place}: must be ${forms}`]],
    [{ set: { A: null } }, [`${place}: must be ${forms}`]],
    [{ set: { A: { value: 8080 } } }, [`${place}: value must be a text: put it in quotes`]],
    [{ set: { A: { value: 'hunter2\0' } } }, [expect.stringMatching(/A: value must have no NUL character/)]],
    [{ set: { A: { file: '~/x' } } }, [expect.stringMatching(/A: file begins with '~'/)]],
    [{ set: { A: { file: '' } } }, [`${place}: file must be the path of a file`]],
    [
      { set: { 'A-B': { value: 'x' } } },
      [expect.stringMatching(/^servers.github.env.set.A-B: is no name of a variable/)],
    ],
    [{ set: { A: { env: 'III_URL' } } }, [expect.stringMatching(/A: env: is a variable of this worker alone/)]],
    [
      { set: { A: { env: 'ghp_hunter2abcdefghijkl' } } },
      [`${place}: env must be the name of a variable, and looks like a secret`],
    ],
    [{ inherit: ['hunter2-2'] }, [expect.stringMatching(/^servers.github.env.inherit\[0\]: is no name of a variable/)]],
    [{ inherit: ['iii_url'] }, [expect.stringMatching(/^servers.github.env.inherit\[0\]: is a variable of this/)]],
    [{ set: ['A'] }, [expect.stringMatching(/^servers.github.env.set: must be at most 256 names/)]],
    [{ set: { III_URL: { value: 'x' } } }, []],
    [{ set: null }, []],
  ])('%j is told what is wrong, without its value', (env, texts) => {
    const said = complain({ env })
    expect(said).toEqual(texts)
    expect(said.join()).not.toContain('hunter2')
  })

  const outside = 'is not expanded here: write the value itself, or give it to the server as a variable: env.set.NAME:'
  it.each<[object, string]>([
    [
      { env: { set: { A: expand('GH') } } },
      `${place}: ${expand('…')} is not expanded here: write { env: GH } in its place`,
    ],
    [
      { env: { set: { A: { value: `x${expand('env:GH')}` } } } },
      `${place}.value: ${expand('…')} is not expanded here: write { env: GH } in its place`,
    ],
    [
      { args: ['--token', expand('input:token')] },
      `servers.github.args[1]: ${expand('…')} ${outside} { env: NAME } or { file: PATH }`,
    ],
    [{ cwd: `${expand('HOME')}/x` }, `servers.github.cwd: ${expand('…')} ${outside} { env: HOME }`],
    [{ tools: { deny: [expand('X')] } }, `servers.github.tools.deny[0]: ${expand('…')} ${outside} { env: X }`],
  ])('is not expanded: %j', (entry, text) => {
    expect(complain(entry)).toEqual([text])
  })
})
