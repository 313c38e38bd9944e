import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { toAgentFacts } from './facts.ts'
import { readAgentFrontMatter } from './front-matter.ts'

function measure(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  return process.cpuUsage(before).user
}

describe('front matter with thousands of mistakes', () => {
  const yaml = `{${','.repeat(1_500)}`
  const markdown = `---\n${yaml}\n---\nText`

  it('names the first one with its place', () => {
    expect(readAgentFrontMatter(markdown)).toEqual({
      problem: 'its front matter is no YAML that every reader takes: Unexpected , in flow map at line 2, column 3',
    })
  })

  it('costs a few looks at it, and not a message of each', () => {
    const read = () => parseDocument(yaml, { prettyErrors: false })
    // One good measurement counts: others may have the processor for a while.
    const isCheap = () => measure(() => toAgentFacts('orders', markdown)) < 12 * measure(read)
    expect(Array.from({ length: 5 }).some(isCheap)).toBe(true)
  })
})
