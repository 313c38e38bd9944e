import { type Commands, createCapture } from '@iii/sdk/cli'
import { describe, expect, it } from 'vitest'
import { createBridgeCommands } from '../apps/mcp-bridge/src/operator/commands.ts'
import { BRIDGE_FLAGS, FLAGS } from '../apps/mcp-bridge/src/operator/flags.ts'
import { readOperatorHost } from '../apps/mcp-bridge/src/operator/host.ts'
import { createClientCommands } from '../apps/mcp-client/src/operator/commands.ts'
import { createRunsCommands } from '../apps/run-records/src/operator/commands.ts'
import { commands as skillsCommands } from '../apps/skills-registry/src/operator/run.ts'

/** Help is printed before anything of the machine is looked at. */
const unused = undefined as never
const PROGRAMS: readonly (readonly [string, Commands])[] = [
  ['iii-mcp', createBridgeCommands(readOperatorHost({}))],
  ['iii-skills', skillsCommands],
  ['iii-runs', createRunsCommands(() => unused)],
  ['iii-mcp-client', createClientCommands(unused)],
]

async function run(commands: Commands, argv: readonly string[], { env = {}, columns }: Eyes = {}) {
  const [stdout, stderr] = [createCapture(columns), createCapture()]
  const code = await commands.run({ argv, env, version: '1.2.3', streams: { stdout, stderr } })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

interface Eyes {
  readonly env?: Readonly<Record<string, string>>
  /** Makes stdout a terminal. */
  readonly columns?: number
}

/** The words of an example as a shell passes them on. */
function toWords(line: string): string[] {
  const [command = ''] = line.split(' > ')
  return [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

describe('the help of a command', () => {
  it.each(PROGRAMS)('of %s is whole, and its examples are right', async (program, commands) => {
    for (const name of commands.names) {
      const { code, stdout } = await run(commands, [...name.split(' '), '--help'])
      expect(code).toBe(0)
      expect(stdout).toMatch(new RegExp(`^\\S.*\\n[\\s\\S]*\\nUsage: ${program} ${name}.* \\[options\\]\\n`))
      for (const heading of ['Options:', 'Common options:', 'Exit codes:']) expect(stdout).toContain(`\n${heading}\n`)
      // A path stays in one piece.
      expect(stdout.split('\n').filter((line) => line.length > 80 && !/[\\/]/.test(line))).toEqual([])
      const examples = [...stdout.matchAll(/^ {2}# .+\n {2}\$ (.+)$/gm)].map(([, line = '']) => line)
      expect([name, examples.length]).toEqual([name, 3])
      for (const example of examples) {
        expect(`${example} `.startsWith(`${program} ${name} `), example).toBe(true)
        const [, ...words] = toWords(example)
        expect([example, await run(commands, [...words, '--help'])]).toMatchObject([example, { code: 0, stdout }])
      }
    }
  })

  it('names what the server can be told, and leaves it to the help of that', async () => {
    const { stdout } = await run(createBridgeCommands(readOperatorHost({})), ['explain', '--help'])
    expect(stdout.replace(/\s+/g, ' ')).toContain("what each of them does says 'iii-mcp --help'.")
    for (const key of BRIDGE_FLAGS) expect(stdout.replace(/\s+/g, ' ')).not.toContain(FLAGS[key].describe)
  })

  it.each(PROGRAMS)('of %s has colour on a terminal, and none with NO_COLOR or in a pipe', async (_, commands) => {
    const ask = async (eyes: Eyes) => (await run(commands, ['doctor', '--help'], eyes)).stdout
    expect(await ask({ columns: 80 })).toContain('\u001b[')
    expect(await ask({ columns: 80, env: { NO_COLOR: '1' } })).not.toContain('\u001b[')
    expect(await ask({})).not.toContain('\u001b[')
  })
})
