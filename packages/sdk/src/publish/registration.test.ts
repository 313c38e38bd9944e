import { createHash } from 'node:crypto'
import type { SkillFile } from '@iii/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toSkillRegistration } from './registration.ts'

const MIB = 1_048_576

it('a skill that fits into one message is registered as it is', () => {
  const skill = { id: 'a', skill: 'A', files: [{ path: 'a.txt', text: 'x'.repeat(MIB), mimeType: 'text/plain' }] }
  expect(toSkillRegistration(skill)).toEqual({ ahead: [], skill })
  expect(toSkillRegistration({ id: 'a', skill: 'A' })).toEqual({ ahead: [], skill: { id: 'a', skill: 'A' } })
})

it('of one that does not each file goes ahead once, in its order, and is named by its SHA-256', () => {
  const size = fc.integer({ min: 0, max: MIB })
  const kind = fc.constantFrom('text', 'escaped', 'base64')
  fc.assert(
    fc.property(fc.array(fc.tuple(kind, size), { minLength: 12, maxLength: 24 }), (given) => {
      const files = given.map(([of, bytes], at): SkillFile => {
        const content = Buffer.alloc(bytes, of === 'escaped' ? 1 : `${at}`)
        const path = `${at}.bin`
        return of === 'base64' ? { path, base64: content.toString('base64') } : { path, text: content.toString() }
      })
      const { ahead, skill } = toSkillRegistration({ id: 'a', skill: 'A', lease: true, files })
      for (const part of ahead) {
        const bytes = Buffer.byteLength(JSON.stringify(part))
        expect(part.files.length === 1 || bytes <= 4.1 * MIB).toBe(true)
        expect(bytes).toBeLessThan(8 * MIB)
      }
      if (ahead.length === 0) {
        expect(skill.files).toBe(files)
        return
      }
      expect(ahead.flatMap((part) => part.files)).toEqual(files)
      expect(skill).toMatchObject({ id: 'a', skill: 'A', lease: true })
      expect(skill.files?.map(({ path, sha256 }) => ({ path, sha256 }))).toEqual(
        files.map(({ path, text, base64 = '' }) => {
          const bytes = text === undefined ? Buffer.from(base64, 'base64') : text
          return { path, sha256: createHash('sha256').update(bytes).digest('hex') }
        }),
      )
    }),
    { numRuns: 8 },
  )
})
