import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toFetchDocument } from './fetch-document.ts'

const section = (name: string, text: string) => ({ uri: `iii://${name}`, text })

describe('the fetch document', () => {
  it('puts a text under its address and trims its end', () => {
    expect(toFetchDocument([section('a', '  # A\n\ntext \n\n')])).toBe('# iii://a\n\n  # A\n\ntext')
  })

  it('joins sections with a rule, in the order given', () => {
    expect(toFetchDocument([section('b', 'B'), section('a', 'A')])).toBe('# iii://b\n\nB\n\n---\n\n# iii://a\n\nA')
  })

  it('is whole at its limit and not one byte later', () => {
    const sections = [section('a', 'é'.repeat(100)), section('b', 'b'.repeat(500))]
    const whole = toFetchDocument(sections)
    const bytes = Buffer.byteLength(whole)
    expect(toFetchDocument(sections, bytes)).toBe(whole)
    expect(toFetchDocument(sections, bytes - 1)).not.toBe(whole)
  })

  it('leaves out sections that do not fit, keeps later ones that do, and names what is missing', () => {
    const document = toFetchDocument(
      [section('a', 'a'.repeat(500)), section('b', 'b'.repeat(500)), section('c', 'c'.repeat(10))],
      1_000,
    )
    expect(document.split('\n\n---\n\n')).toEqual([
      `# iii://a\n\n${'a'.repeat(500)}`,
      `# iii://c\n\n${'c'.repeat(10)}`,
      expect.stringMatching(/^Left out, .*: iii:\/\/b$/),
    ])
    expect(Buffer.byteLength(document)).toBeLessThanOrEqual(1_000)
  })

  it('cuts a section that could never fit, between two characters, and says how much is missing', () => {
    const document = toFetchDocument([section('a', '€'.repeat(1_000))], 1_000)
    expect(Buffer.byteLength(document)).toBeLessThanOrEqual(1_000)
    expect(document).toMatch(
      /^# iii:\/\/a\n\n€+\n\nCut here: \d+ of 3011 bytes fit into the answer; resources\/read has the whole\.$/,
    )
  })

  it('names a section of which no more than a part of its address would fit', () => {
    const [long, short] = [section('long', 'x'.repeat(2000)), section('short', 'x'.repeat(20))]
    for (let max = 2000; max > 300; max -= 1) {
      const document = toFetchDocument([short, long], max)
      expect(document).toMatch(/^# iii:\/\/long\n\nx|^Left out, .* iii:\/\/long$/m)
    }
  })

  it('never grows beyond its limit, and says of every section where it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.nat(3000).map((length) => '€'.repeat(length)),
    )
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 32 }),
        fc.integer({ min: 2000, max: 12_000 }),
        (texts, max) => {
          const sections = texts.map((text, n) => section(`part-${n}`, text))
          const document = toFetchDocument(sections, max)
          expect(Buffer.byteLength(document)).toBeLessThanOrEqual(max)
          for (const { uri } of sections) {
            const isShown = `\n${document}\n`.includes(`\n# ${uri}\n`)
            const leftOut = document.slice(document.lastIndexOf('\nLeft out, '))
            expect(isShown || `${leftOut},`.includes(` ${uri},`)).toBe(true)
          }
        },
      ),
    )
  })
})
