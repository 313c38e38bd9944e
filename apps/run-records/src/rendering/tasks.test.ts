import { expect, it } from 'vitest'
import { toDot } from '../graph/drawing.ts'
import { describeDifference, describeGraph } from './tasks.ts'

/** A worker calls its functions what it wants: this clears a screen, begins a line of its own, and turns the reading direction. */
const HOSTILE = 'a::\u001b[2J\nall is well\u202e'
const SHOWN = 'a::\\u{1b}[2J\\u{a}all is well\\u{202e}'
/** But for the ends of our own lines. */
const OBEYED = /(?!\n)\p{Cc}|\p{Cf}|\nall/u

const graph = {
  tasks: [{ id: HOSTILE, depends_on: [], dependents: [] }],
  execution_order: [HOSTILE],
  edges: [{ from: HOSTILE, to: HOSTILE, kind: 'depends' as const, source: 'declared' as const }],
  cycles: [[HOSTILE, 'b']],
  missing: [{ id: HOSTILE, needed_by: [HOSTILE] }],
  coverage: { complete: false, sources: [], unseen: [] },
}

it('a graph has nothing in it that a terminal obeys', () => {
  const text = describeGraph(graph)
  expect(text).toContain(`Order\n  ${SHOWN}\n`)
  expect(text).toContain(`In a circle\n  ${SHOWN} → b\n`)
  expect(text).toContain(`Missing\n  ${SHOWN}, for ${SHOWN}\n`)
  expect(text).not.toMatch(OBEYED)
})

it('a drawing has nothing in it that a terminal obeys, and a node for each id', () => {
  const nodes = [HOSTILE, 'a b', 'a\nb'].map((id) => ({ id, depends_on: [], dependents: [] }))
  const text = toDot({ tasks: nodes, edges: [], missing: [] })
  expect(text).not.toMatch(OBEYED)
  expect(text.split('\n').slice(2, 4)).toEqual(['  "a b";', '  "a\\\\u{a}b";'])
})

it('a difference has nothing in it that a terminal obeys', () => {
  const difference = {
    task: HOSTILE,
    changed: [`/${HOSTILE}`],
    added: [],
    removed: [],
    definition_changed: false,
    dependencies_changed: [HOSTILE],
  }
  const text = describeDifference(difference)
  expect(text).toContain(`${SHOWN}: from`)
  expect(text).toContain(`  input changed: /${SHOWN}\n  dependency ${SHOWN} changed\n`)
  expect(describeDifference({ task: HOSTILE, baseline_missing: true, reason: 'none' })).toMatch(/^a::\\u\{1b\}/)
})
