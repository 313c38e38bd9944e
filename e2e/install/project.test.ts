import { expect, it } from 'vitest'
import { withoutFrames } from './project.ts'

it('keeps of a command what it did and how it ended, and none of the frames between', () => {
  const frame = '\n  ⟳ mcp queued (0s)\n'
  const said = `  Worker mcp added\n${frame}\u001b[2F\u001b[J${frame}\u001b[2F\u001b[J  mcp ready\n`
  expect(withoutFrames(said)).toBe('  Worker mcp added\n  mcp ready\n')
  expect(withoutFrames('mcp stopped\n')).toBe('mcp stopped\n')
})
