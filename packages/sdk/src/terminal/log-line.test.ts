import { describe, expect, it } from 'vitest'
import { toLogLine } from './log-line.ts'

const time = new Date(2026, 0, 2, 14, 3, 7).getTime()

function line(fields: object, hasColors = false): string {
  return toLogLine(`${JSON.stringify({ level: 40, time, pid: 1, name: 'tea', ...fields })}\n`, hasColors)
}

describe('a line of a log on a terminal', () => {
  it('has time, level, name, message and what else there is', () => {
    const fields = { msg: 'the kettle is empty', cups: 2, who: 'Ada', why: 'no water', of: { a: 1 } }
    expect(line(fields)).toBe('14:03:07 warn  tea: the kettle is empty  cups=2  who=Ada  why="no water"  of={"a":1}\n')
    expect(line({ level: 30, msg: 'ready' })).toBe('14:03:07 info  tea: ready\n')
    expect(line({ level: 35, msg: 'odd' })).toBe('14:03:07 35 tea: odd\n')
    expect(line({})).toBe('14:03:07 warn  tea: \n')
  })

  it('has the stack of an error below it', () => {
    const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at pour (tea.ts:1:1)' }
    expect(line({ msg: 'a handler failed', err })).toBe(
      '14:03:07 warn  tea: a handler failed\n    Error: no\n        at pour (tea.ts:1:1)\n',
    )
  })

  it('does nothing to the terminal but colours of its own', () => {
    const evil = '\u001b[2J\u202e'
    const written = line({ name: evil, msg: evil, [evil]: evil, err: { stack: evil } })
    expect([...written].filter((character) => evil.slice(0, 1) === character || character === '\u202e')).toEqual([])
    expect(line({ msg: 'x' }, true)).toContain('\u001b[33mwarn \u001b[39m')
  })
})
