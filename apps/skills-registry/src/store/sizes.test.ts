import { checkFilePath, checkSkillFiles, type SkillFileFact } from '@iii/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fileRecords } from '../files/file-records.ts'
import { promptRecords } from '../prompts/prompts.ts'
import { skillRecords } from '../skills/skills.ts'
import type { RecordKind, Sized, Stamped } from './record-kind.ts'

const registered_at = '2026-11-21T09:30:00.000000Z'
const sha256 = 'a'.repeat(64)
/** Whatever JSON escapes it makes at most twice as long. */
const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '語', '😀') })
const fact: fc.Arbitrary<SkillFileFact> = fc.record({
  path: text.filter((path) => checkFilePath(path) === undefined),
  sha256: fc.constant(sha256),
  bytes: fc.nat(),
  mimeType: fc.constantFrom('text/markdown', 'application/octet-stream'),
})

/** @returns how many bytes the store hands out for a row, and what its entry in the index says of that */
function measure<Row extends Stamped, Entry extends Sized>(kind: RecordKind<Row, Entry>, row: Row) {
  const entry = kind.entrySchema.parse(JSON.parse(JSON.stringify(kind.toEntry(row))))
  return { stored: Buffer.byteLength(JSON.stringify(row)), size: kind.sizeOf(entry) }
}

function expectCovered({ stored, size }: { stored: number; size: number }): void {
  expect(stored).toBeLessThanOrEqual(2 * size)
}

it('a row of a skill takes at most twice what its entry says, whatever files it has', () => {
  const facts = fc
    .uniqueArray(fact, { maxLength: 20, selector: ({ path }) => path })
    .filter((files) => checkSkillFiles(files) === undefined)
  fc.assert(
    fc.property(text, text, facts, (id, skill, files) =>
      expectCovered(measure(skillRecords, { id, skill, files, lease: id, registered_at })),
    ),
  )
})

it('a row of a content takes at most twice what its entry says', () => {
  fc.assert(
    fc.property(text, text, fc.uint8Array(), (id, content, bytes) => {
      expectCovered(measure(fileRecords, { id, sha256, text: content, registered_at }))
      expectCovered(measure(fileRecords, { id, sha256, base64: Buffer.from(bytes).toString('base64'), registered_at }))
    }),
  )
})

it('a row of a prompt takes at most twice what its entry says, whatever arguments it has', () => {
  const args = fc.array(fc.record({ name: text, description: text, required: fc.boolean() }), { maxLength: 200 })
  fc.assert(
    fc.property(text, args, (description, given) => {
      const row = { name: 'plan', description, arguments: given, function_id: 'a::b', lease: 'planner', registered_at }
      expectCovered(measure(promptRecords, row))
    }),
  )
})

it('what is said of rows without anything to escape is no less than they take, and not much more', () => {
  const files = Array.from({ length: 511 }, (_, at) => {
    return { path: `references/${at}.md`, sha256, bytes: 1_048_576, mimeType: 'text/markdown' }
  })
  const args = Array.from({ length: 200 }, (_, at) => ({ name: `n${at}`, description: '', required: false }))
  const prompt = { name: 'plan', description: 'Plans.', function_id: 'a::b', registered_at }
  const measured = [
    measure(skillRecords, { id: 'bare', skill: '# Bare', registered_at }),
    measure(skillRecords, { id: 'full', skill: '# Full', files, registered_at }),
    measure(fileRecords, { id: 'full', sha256, text: '', registered_at }),
    measure(promptRecords, { ...prompt, arguments: [] }),
    measure(promptRecords, { ...prompt, arguments: args }),
  ]
  for (const { stored, size } of measured) {
    expect(size).toBeGreaterThanOrEqual(stored)
    expect(size).toBeLessThan(stored * 1.25 + 64)
  }
})
