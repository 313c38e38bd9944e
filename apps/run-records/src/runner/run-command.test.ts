import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatRunCommand } from './run-command.ts'

it.each([
  ['nightly', 'iii-runs run nightly --force'],
  ['shop::total', 'iii-runs run shop::total --force'],
  ['shop::$(reboot)', "iii-runs run 'shop::$(reboot)' --force"],
  ['shop::a; `b`', "iii-runs run 'shop::a; `b`' --force"],
  ['--url::x', 'iii-runs run --force -- --url::x'],
])('runs the job %s with a command that can be copied', (job, command) => {
  expect(formatRunCommand(job, '--force')).toBe(command)
})

it('has one word for the job, whatever it is called', () => {
  const job = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0') && text.isWellFormed())
  fc.assert(
    fc.property(job, (name) => {
      const printed = formatRunCommand(name, '--x').replace('iii-runs', () => "printf '%s\\0'")
      const words = execFileSync('sh', ['-c', printed])
      expect(words.toString().split('\0')).toContain(name)
    }),
    { numRuns: 30 },
  )
})
