import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSeal, MAX_SEALED_BYTES, type SealKey } from './request-state-seal.ts'

const first = { id: 7, secret: Buffer.alloc(32, 1) }
const second = { id: 0xffff_ffff, secret: Buffer.alloc(32, 2) }
const text = fc.string({ unit: 'grapheme', maxLength: 200 })

function sealWith(keys: readonly SealKey[], now?: () => number) {
  const [signing = first] = keys
  const find = (id: number) => Promise.resolve(keys.find((key) => key.id === id))
  return createSeal({ signing: () => signing, find }, now)
}

describe('a seal', () => {
  it('gives back what was sealed, on every bridge that has the key', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (content, context) => {
        const token = sealWith([first]).seal(content, context)
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(await sealWith([second, first]).open(token, context)).toBe(content)
      }),
    )
  })

  it('opens nowhere else: in no other context, with no other key, under no other id', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, async (content, context, other) => {
        const token = sealWith([first]).seal(content, context)
        if (other !== context) expect(await sealWith([first]).open(token, other)).toBeUndefined()
        expect(await sealWith([second]).open(token, context)).toBeUndefined()
        expect(await sealWith([{ id: first.id, secret: second.secret }]).open(token, context)).toBeUndefined()
      }),
    )
  })

  it('breaks with every bit that is changed', async () => {
    const seal = sealWith([first])
    const bytes = Buffer.from(seal.seal('step 2', 'tools/call x'), 'base64url')
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ mask
        expect(await seal.open(changed.toString('base64url'), 'tools/call x')).toBeUndefined()
      }),
    )
  })

  it('takes anything and opens none of it', async () => {
    const seal = sealWith([first])
    const garbage = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.base64String(),
      fc.string({ unit: fc.constantFrom(...'aAB_-9') }),
    )
    await fc.assert(
      fc.asyncProperty(garbage, async (token) => {
        expect(await seal.open(token, '')).toBeUndefined()
      }),
    )
    for (const tail of ['-TAMPERED', '=', 'A', '\n']) {
      expect(await seal.open(`${seal.seal('state', '')}${tail}`, '')).toBeUndefined()
    }
    expect(await seal.open('A'.repeat(200_000), '')).toBeUndefined()
  })

  it('opens nothing where the keys cannot be had', async () => {
    const token = sealWith([first]).seal('state', '')
    const lost = createSeal({ signing: () => first, find: () => Promise.reject(new Error('no store')) })
    expect(await lost.open(token, '')).toBeUndefined()
  })

  it('is good for an hour', async () => {
    let now = 1_800_000_000_000
    const seal = sealWith([first], () => now)
    const token = seal.seal('state', '')
    now += 3_600_000
    expect(await seal.open(token, '')).toBe('state')
    now += 1
    expect(await seal.open(token, '')).toBeUndefined()
  })

  it('shows nothing of the text and never looks the same twice', () => {
    const seal = sealWith([first])
    const [one, two] = [seal.seal('secret words', ''), seal.seal('secret words', '')]
    expect(one).not.toBe(two)
    expect(Buffer.from(one, 'base64url').includes('secret')).toBe(false)
  })

  it('is for small texts', async () => {
    const seal = sealWith([first])
    const largest = 'x'.repeat(MAX_SEALED_BYTES)
    expect(await seal.open(seal.seal(largest, ''), '')).toBe(largest)
    expect(() => seal.seal(`${largest}x`, '')).toThrow(/65537 bytes; at most 65536/)
  })
})
