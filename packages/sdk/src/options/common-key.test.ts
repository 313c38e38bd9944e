import { expect, it } from 'vitest'
import { z } from 'zod'
import { readStored } from '../settings/stored-reading.ts'
import { explainCommonKey } from './common-key.ts'
import { readConfigText } from './config-text.ts'
import type { AnyOptionTable } from './option-table.ts'

const table: AnyOptionTable = {
  namespaces: {
    yaml: 'namespaces',
    schema: z.array(z.string()),
    default: [],
    stored: 'any',
    describe: 'What is shown.',
  },
}
const NAMESPACE = "'namespace' does not count here: it comes from --namespace or III_NAMESPACE alone"

it.each([
  ['namespace', NAMESPACE],
  ['worker_name', "'worker_name' does not count here: it comes from III_WORKER_NAME alone"],
  ['exact_name', "'exact_name' does not count here: it comes from --exact-name or III_EXACT_NAME alone"],
  ['namespaces', undefined],
  ['constructor', undefined],
])('of the key %s is said: %s', (key, text) => {
  expect(explainCommonKey(key)).toBe(text)
})

it('a namespace in a file or in stored settings is none, and not taken for those that are shown', () => {
  for (const value of ['orders', '', ' ', 7, ['orders']]) {
    const read = readConfigText(`namespace: ${JSON.stringify(value)}\n`, table)
    expect(read.problems).toEqual([`line 1: ${NAMESPACE}`])
    expect([...read.values]).toEqual([])
    const stored = readStored({ value: { namespace: value }, isRaw: false }, table)
    expect([...(stored?.values ?? [])]).toEqual([])
    expect(stored?.warnings).toEqual([NAMESPACE])
  }
})
