import { afterEach, describe, expect, it, vi } from 'vitest'
import { createCapture } from './capture.ts'
import { createScreen } from './screen.ts'

function start(columns?: number) {
  const [stdout, stderr] = [createCapture(columns), createCapture(columns)]
  return { stdout, stderr, screen: createScreen({ stdout, stderr }) }
}

describe('progress', () => {
  it('is a line for every tenth of much work where nobody watches', () => {
    const { stdout, stderr, screen } = start()
    const progress = screen.progress('importing', 1000)
    for (let at = 0; at < 1000; at++) progress.step()
    progress.end()
    expect(stderr.text().split('\n')).toEqual([
      ...Array.from({ length: 10 }, (_, at) => `importing ${(at + 1) * 100}/1000 (${(at + 1) * 10} %)`),
      '',
    ])
    expect(stdout.text()).toBe('')
  })

  it('is silent about little work where nobody watches', () => {
    const { stderr, screen } = start()
    const progress = screen.progress('importing', 999)
    for (let at = 0; at < 999; at++) progress.step()
    progress.end()
    expect(stderr.text()).toBe('')
  })

  it('is one line on a terminal that goes away at the end and makes room for others', () => {
    const { stdout, stderr, screen } = start(80)
    const progress = screen.progress('importing', 3)
    progress.step()
    screen.tell('a.md: is empty')
    screen.print('b\n')
    progress.step()
    progress.step()
    progress.end()
    const clear = '\r\u001b[K'
    const drawn = stderr.text().split(clear)
    expect(drawn).toEqual([
      '',
      'importing 1/3 (33 %)',
      'a.md: is empty\n',
      'importing 1/3 (33 %)',
      '',
      'importing 1/3 (33 %)',
      'importing 3/3 (100 %)',
      '',
    ])
    expect(stdout.text()).toBe('b\n')
  })
})

describe('waiting', () => {
  afterEach(() => void vi.useRealTimers())

  it('is a line on a terminal that tells what for and how long, and nothing elsewhere', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const [terminal, pipe] = [start(80), start()]
    const waits = [terminal, pipe].map(({ screen }) => screen.wait(() => 'connecting'))
    vi.advanceTimersByTime(50)
    expect(terminal.stderr.text()).toBe('')
    vi.advanceTimersByTime(2_050)
    for (const wait of waits) wait.end()
    const clear = '\r\u001b[K'
    expect(terminal.stderr.text()).toMatch(/connecting \(0 s\)[\s\S]*connecting \(2 s\)/)
    expect(terminal.stderr.text().endsWith(clear)).toBe(true)
    vi.advanceTimersByTime(1_000)
    expect(terminal.stderr.text().endsWith(clear)).toBe(true)
    expect(pipe.stderr.text()).toBe('')
  })
})

describe('a message', () => {
  it('cannot move the cursor', () => {
    const { stderr, screen } = start(80)
    screen.tell('a\u001b[2Jb\nc\u202e')
    expect(stderr.text()).toBe('a\\u{1b}[2Jb\nc\\u{202e}\n')
  })
})

describe('the width of what is printed', () => {
  it.each([
    [80, 80],
    [0, undefined],
    [undefined, undefined],
  ])('of a terminal that says %s is %s: one without a size cuts nothing', (columns, width) => {
    expect(start(columns).screen.columns).toBe(width)
  })
})
