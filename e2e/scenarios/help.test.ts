import { expect } from 'vitest'
import { type ChildOptions, runToEnd } from '../child.ts'
import { bridgeProgram, mcpClientProgram, runsProgram, skillsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'

const NOWHERE = 'ws://127.0.0.1:9'

const ask = (program: ChildOptions, ...args: string[]) => runToEnd({ ...program, args })

scenario(
  ['commands/help'],
  'whoever asks a command of any program for help reads what it does, and examples',
  async () => {
    for (const [program, name] of [
      [bridgeProgram, 'iii-mcp'],
      [skillsProgram, 'iii-skills'],
      [runsProgram, 'iii-runs'],
      [mcpClientProgram, 'iii-mcp-client'],
    ] as const) {
      const { code, stdout } = await ask(program(NOWHERE), 'doctor', '--help')
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`Usage: ${name} doctor [^]*\\$ ${name} doctor`)),
      ])
      expect(stdout).not.toContain('\u001b[')
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    }
  },
)

scenario(['commands/meant'], 'a command of another program is answered with ours', async () => {
  for (const [program, word, hint] of [
    [bridgeProgram, 'status', 'did you mean doctor?'],
    [skillsProgram, 'rm', 'did you mean remove?'],
    [runsProgram, 'ls', 'did you mean list?'],
    [runsProgram, 'rm', 'did you mean gc?'],
    [mcpClientProgram, 'rm', 'there are list, show, tools, approve, import, check, doctor, explain'],
    [mcpClientProgram, 'help', 'did you mean --help?'],
  ] as const) {
    const { code, stdout, stderr } = await ask(program(NOWHERE), word)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`unknown command ${word}; ${hint}`)])
  }
  const { stderr } = await ask(skillsProgram(NOWHERE), 'prompts', 'rm', 'x')
  expect(stderr).toContain('unknown command prompts rm; did you mean prompts remove?')
})
