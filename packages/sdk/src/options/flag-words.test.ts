import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readCommandLine } from './command-line.ts'
import { formatCommand } from './flag-words.ts'

const table = {
  tier: { flag: '--tier', env: 'TIER', schema: z.string().optional(), default: undefined, describe: '' },
  strict: { flag: '--strict', schema: z.boolean(), default: false, describe: '' },
  prefixes: { flag: '--prefixes', schema: z.array(z.string()), default: [], describe: '' },
}

describe('a command that is advised', () => {
  it.each<[string[], Record<string, string>, string]>([
    [[], {}, 'x go'],
    [['--url', 'ws://10.0.0.5:1', '--config', '/a b.yaml'], {}, "x go --url ws://10.0.0.5:1 --config '/a b.yaml'"],
    [['--namespace', 'orders', '--debug'], {}, 'x go --namespace orders'],
    [['--no-strict', '--prefixes', 'a::,b::'], { TIER: 'ops' }, 'x go --tier ops --strict=false --prefixes a::,b::'],
    [['--tier', "it's"], {}, "x go --tier 'it'\\''s'"],
    [['--url', 'ws://me:secret@host:1'], {}, 'x go --url "$III_URL"'],
  ])('has what %j and %j said', (argv, env, command) => {
    const said = readCommandLine(argv, env, table)
    expect('problem' in said ? said.problem : formatCommand('x go', said, table)).toBe(command)
  })
})
