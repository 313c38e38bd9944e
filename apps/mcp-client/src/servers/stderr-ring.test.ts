import { describe, expect, it } from 'vitest'
import { createStderrRing } from './stderr-ring.ts'

const clean = (text: string) => text.replaceAll('s3cr3t', '<secret>')

describe('the end of stderr', () => {
  it('is its last 200 lines, and the one that has no end yet', () => {
    const ring = createStderrRing()
    const push = ring.follow(clean)
    push(Buffer.from(Array.from({ length: 300 }, (_, nth) => `line ${nth}\n`).join('')))
    push(Buffer.from('open'))
    expect(ring.lines()).toHaveLength(201)
    expect([ring.lines()[0], ring.lines().at(-1)]).toEqual(['line 100', 'open'])
  })

  it('has no secret, also where one lies in two chunks or at the end of what is kept', () => {
    const ring = createStderrRing()
    const push = ring.follow(clean)
    for (const part of ['a s3c', 'r3t\n', 'x'.repeat(2_045), 's3cr3t', 'y'.repeat(100_000), '\nnext\n'])
      push(Buffer.from(part))
    const text = ring.lines().join('\n')
    expect(ring.lines()[0]).toBe('a <secret>')
    expect(ring.lines().at(-1)).toBe('next')
    expect(text).not.toContain('s3')
    expect(text.length).toBeLessThan(2_200)
  })

  it('stays when the next process begins, without what nobody sees', () => {
    const ring = createStderrRing()
    ring.follow(clean)(Buffer.from('\u001b[31mred\u001b[0m\u0000\n\n  \nlast words'))
    ring.follow(clean)(Buffer.from('again\n'))
    expect(ring.lines()).toEqual(['red', 'last words', 'again'])
  })
})
