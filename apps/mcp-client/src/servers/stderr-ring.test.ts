import { describe, expect, it } from 'vitest'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { createStderrRing } from './stderr-ring.ts'

const filter = { text: (text: string) => text.replaceAll('s3cr3t', '<secret>'), reach: 6 }

describe('the end of stderr', () => {
  it('is its last 200 lines, and the one that has no end yet', () => {
    const ring = createStderrRing()
    const push = ring.follow(filter)
    push(Buffer.from(Array.from({ length: 300 }, (_, nth) => `line ${nth}\n`).join('')))
    push(Buffer.from('open'))
    expect(ring.lines()).toHaveLength(201)
    expect([ring.lines()[0], ring.lines().at(-1)]).toEqual(['line 100', 'open'])
  })

  it('has no secret, also where one lies in two chunks or at the end of what is kept', () => {
    const ring = createStderrRing()
    const push = ring.follow(filter)
    for (const part of ['a s3c', 'r3t\n', 'x'.repeat(2_045), 's3cr3t', 'y'.repeat(100_000), '\nnext\n'])
      push(Buffer.from(part))
    const text = ring.lines().join('\n')
    expect(ring.lines()[0]).toBe('a <secret>')
    expect(ring.lines().at(-1)).toBe('next')
    expect(text).not.toContain('s3')
    expect(text.length).toBeLessThan(2_200)
  })

  it('has no part of a secret, also where one is longer than what is kept or shrinks a line as often as it is in it', () => {
    const secrets = ['5ecret-of-twenty-letters', Array.from({ length: 900 }, (_, nth) => `key-${nth}`).join('/')]
    const real = createSecretFilter(secrets)
    for (const secret of secrets) {
      const ring = createStderrRing()
      ring.follow(real)(Buffer.from(`${secret.repeat(500)}\nnext\n`))
      // The last marker may be cut, as any text.
      expect(ring.lines().join('\n')).toMatch(/^(?:(?:<secret>)*[<secrt>]*…?\n)?next$/)
    }
  })

  it('stays when the next process begins, without what nobody sees', () => {
    const ring = createStderrRing()
    ring.follow(filter)(Buffer.from('\u001b[31mred\u001b[0m\u0000\n\n  \nlast words'))
    ring.follow(filter)(Buffer.from('again\n'))
    expect(ring.lines()).toEqual(['red', 'last words', 'again'])
  })
})
