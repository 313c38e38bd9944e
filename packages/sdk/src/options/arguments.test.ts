import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type CommandLine, readCommandLine } from './command-line.ts'
import type { AnyOptionTable } from './option-table.ts'

const table: AnyOptionTable = {
  apiPath: { flag: '--api-path', env: 'API_PATH', schema: z.string(), default: 'mcp', describe: '' },
  requireExpose: { flag: '--require-expose', env: 'REQUIRE_EXPOSE', schema: z.boolean(), default: false, describe: '' },
  noStdio: { flag: '--no-stdio', schema: z.boolean(), default: false, describe: '' },
  hidden: { flag: '--hidden-prefix', env: 'HIDDEN', schema: z.array(z.string()), default: [], describe: '' },
  limit: { flag: '--limit', schema: z.int().min(1), default: 5, describe: '' },
  tier: { flag: '--tier', schema: z.string().optional(), default: undefined, describe: '' },
  debut: { flag: '--debut', schema: z.string().optional(), default: undefined, describe: '' },
  quick: { flag: '--quick', schema: z.boolean().optional(), default: undefined, describe: '' },
  extra: { flag: '--extra', schema: z.object({ a: z.number() }).optional(), default: undefined, describe: '' },
}

function read(argv: string[], env: Record<string, string> = {}): CommandLine {
  const said = readCommandLine(argv, env, table)
  if ('problem' in said) throw new Error(said.problem)
  return said
}

const toValues = (given: CommandLine['own']) =>
  Object.fromEntries([...given].map(([option, { value }]) => [option, value]))
const own = (argv: string[], env: Record<string, string> = {}) => toValues(read(argv, env).own)

describe('a command line', () => {
  it.each<[string[], Record<string, unknown>]>([
    [[], {}],
    [['--api-path', '/x'], { apiPath: '/x' }],
    [['--api-path=/x=y'], { apiPath: '/x=y' }],
    [['--api-path', 'a', '--api-path', 'b'], { apiPath: 'b' }],
    [['--require-expose'], { requireExpose: true }],
    [['--require-expose=false'], { requireExpose: false }],
    [['--no-require-expose'], { requireExpose: false }],
    [['--no-stdio'], { noStdio: true }],
    [['--hidden-prefix', 'a::', '--hidden-prefix', 'b::,c::'], { hidden: ['a::', 'b::', 'c::'] }],
    [['--limit', '7'], { limit: 7 }],
    [['--tier', '-x'], { tier: '-x' }],
    [['--tier', '5'], { tier: '5' }],
    [['--quick', '--tier', 'a'], { quick: true, tier: 'a' }],
    [['--extra', '{"a":1}'], { extra: { a: 1 } }],
  ])('%j means %j', (argv, expected) => {
    expect(own(argv)).toEqual(expected)
  })

  it.each([
    [['--requre-expose'], 'unknown option --requre-expose; did you mean --require-expose?'],
    [['--engine-uri', 'x'], 'unknown option --engine-uri; did you mean --engine-url?'],
    [['--engin-url', 'x'], 'unknown option --engin-url; did you mean --engine-url?'],
    [['--prefix', 'x'], 'unknown option --prefix; did you mean --hidden-prefix?'],
    // As near to --debug, which every worker has.
    [['--debux'], 'unknown option --debux; did you mean --debut?'],
    [['--debu'], 'unknown option --debu; did you mean --debut?'],
    [['--zzzzzzzzz'], 'unknown option --zzzzzzzzz'],
    [['-x'], 'unknown option -x'],
    [['serve'], "unexpected argument 'serve'; every option starts with --"],
    [['--api-path'], '--api-path needs a value'],
    [['--api-path', '--debug'], '--api-path needs a value'],
    [['--limit', 'x'], "--limit: must be a number, not a string ('x')"],
    [['--limit', '0'], "--limit: must be at least 1 ('0')"],
    [['--require-expose=maybe'], "--require-expose: must be true or false, not a string ('maybe')"],
    [['--url', 'ftp://x'], "'ftp://x' is not the address of an engine; write it like ws://127.0.0.1:49134"],
  ])('%j is refused', (argv, problem) => {
    expect(readCommandLine(argv, {}, table)).toEqual({ problem })
  })

  it.each<[string[], Record<string, string>, string]>([
    [[], {}, 'ws://127.0.0.1:49134/'],
    [[], { III_URL: '', III_ENGINE_URL: 'ws://engine:1' }, 'ws://engine:1/'],
    [[], { III_URL: 'ws://url:1', III_ENGINE_URL: 'ws://engine:1' }, 'ws://url:1/'],
    [['--engine-url', 'http://flag:1/base'], { III_URL: 'ws://url:1' }, 'ws://flag:1/base'],
    [['--url', 'https://flag:1'], { III_URL: 'ws://url:1' }, 'wss://flag:1/'],
  ])('finds the engine with %j and %j', (argv, env, url) => {
    expect(read(argv, env).url).toBe(url)
  })

  it.each<[string[], Record<string, string>, string | undefined]>([
    [[], {}, undefined],
    [['--namespace', 'orders'], { III_NAMESPACE: 'shop' }, 'orders'],
    [[], { III_NAMESPACE: ' shop ' }, 'shop'],
    [[], { III_NAMESPACE: '  ' }, undefined],
    [['--namespace', 'default'], { III_NAMESPACE: 'shop' }, undefined],
    [['--namespace', 'Or.ders'], {}, 'Or.ders'],
    [[], { III_NAMESPACE: 'default' }, undefined],
  ])('%j with %j is the namespace %s', (argv, env, namespace) => {
    expect(read(argv, env).namespace).toBe(namespace)
  })

  it.each(['', ' '])('says what is wrong with the blank namespace %j', (blank) => {
    expect(readCommandLine(['--namespace', blank], {}, table)).toEqual({
      problem: "The namespace is blank: name one, for example 'orders', or leave it out for 'default'",
    })
  })

  it('counts before the environment, which may say the same things', () => {
    const env = { API_PATH: 'env', REQUIRE_EXPOSE: 'yes', HIDDEN: 'a, b', III_CONFIG: 'f.yaml', III_WORKER_NAME: 'me' }
    expect(own(['--api-path', 'flag'], env)).toEqual({ apiPath: 'flag', requireExpose: true, hidden: ['a', 'b'] })
    expect(read([], env)).toMatchObject({ config: 'f.yaml', workerName: 'me', debug: false, print: undefined })
    expect(read(['--config', 'g.yaml', '--debug'], env)).toMatchObject({ config: 'g.yaml', debug: true })
  })

  it('keeps what each value was called where it was given', () => {
    const { own: given } = read(['--no-require-expose', '--tier=a'], { API_PATH: 'env', HIDDEN: '' })
    expect(Object.fromEntries(given)).toEqual({
      requireExpose: { value: false, from: 'flag', name: '--no-require-expose' },
      tier: { value: 'a', from: 'flag', name: '--tier' },
      apiPath: { value: 'env', from: 'environment', name: 'API_PATH' },
    })
  })

  it('keeps the words that belong to no flag, where somebody asks for them', () => {
    const operands: string[] = []
    const argv = ['list', '--tier', 'a', 'b', '--debug', 'c', '--', '-d', '--e']
    const said = readCommandLine(argv, {}, table, { operands })
    expect(said).toMatchObject({ debug: true })
    expect(operands).toEqual(['list', 'b', 'c', '-d', '--e'])
    expect(readCommandLine(['list', '--tire', 'a'], {}, table, { operands: [] })).toEqual({
      problem: 'unknown option --tire; did you mean --tier?',
    })
    expect(readCommandLine(['--', 'a'], {}, table)).toHaveProperty('problem')
  })

  it('may ask for a text', () => {
    expect(read(['-h']).print).toBe('help')
    expect(read(['--version']).print).toBe('version')
    expect(read(['--manifest']).print).toBe('manifest')
  })
})
