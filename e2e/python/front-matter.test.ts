import { execFileSync } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ workers: ['skills'] })
})
afterAll(() => stack?.[Symbol.asyncDispose]())

const call = <T>(function_id: string, payload: object) => stack.worker.trigger<T>({ function_id, payload })

/** Front matter below name and description, each of another skill. */
const SAMPLES = [
  'tags: [a, "b c", 1, 2.5, -3, true, false, null, ~]',
  'nested:\n  list:\n    - x: 1\n    - {y: [2, {z: deep}]}\n  empty: {}\n  none: []',
  "emoji: 😀 Grüße 日本語\nquoted: \"\\u263A \\t end\"\nsingle: 'it''s'",
  'folded: >\n  two\n  lines\nliteral: |\n  kept\n    as it is\n',
  'numbers: [0, 1000000, 3.14, 9007199254740991]',
  'empty:\nblank: ""\ncomment: x # not in it',
  'yes_word: yes',
  'switch: on',
  'date: 2026-01-01',
  'time: 2026-01-01T10:00:00Z',
  'grouped: 1_000',
  'octal: 0777',
  'clock: 12:30:45',
  'exponent: 1e3',
  'on: a key',
  'metadata:\n  since: 2026-01-01\n  deep: {a: [yes, 1]}',
  'twice: 1\ntwice: 2',
  'anchor: &a 1\nalias: *a',
  'large: 9007199254740993',
  'odd: .nan',
]

const READ =
  'import json, sys, yaml\nprint(json.dumps([yaml.safe_load(text) for text in json.load(sys.stdin)], default=str))'

scenario(
  ['skills/front-matter'],
  'PyYAML reads in each SKILL.md what is announced, or lint warns of the words that it reads otherwise',
  async () => {
    for (const [at, more] of SAMPLES.entries()) {
      const skill = `---\nname: s-${at}\ndescription: Number ${at}.\n${more}\n---\nText.\n`
      await call('skills::register', { id: `yaml/s-${at}`, skill })
    }
    const { findings } = await call<{ findings: { id: string; verdict: string }[] }>('skills::lint', {})
    const warned = new Set(findings.filter(({ verdict }) => verdict === 'warning').map(({ id }) => id))
    const { skills } = await call<{ skills: { uri: string; frontmatter: object }[] }>('skills::mcp-list', {})
    expect(skills).toHaveLength(SAMPLES.length)
    const blocks = await Promise.all(
      skills.map(async ({ uri }) => {
        const { contents } = await call<{ contents: { text: string }[] }>('skills::resources-read', { uri })
        return /^---\n([\s\S]*?)\n---/.exec(contents[0]?.text ?? '')?.[1] ?? ''
      }),
    )
    const read = JSON.parse(
      execFileSync(inject('python'), ['-c', READ], { input: JSON.stringify(blocks), encoding: 'utf8' }),
    ) as object[]
    const differing = skills.filter(({ frontmatter }, at) => !isDeepStrictEqual(frontmatter, read[at]))
    const toId = ({ uri }: { uri: string }) => uri.slice('skill://'.length, -'/SKILL.md'.length)
    expect(differing.map(toId).filter((id) => !warned.has(id))).toEqual([])
    // For YAML 1.1 the key `y` is true; PyYAML leaves it as it is.
    expect([...warned].sort()).toEqual([1, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((at) => `yaml/s-${at}`).sort())
  },
)
