import { expect, it } from 'vitest'
import { findNotes, planReleases } from './releases.ts'

it('finds the notes of one version', () => {
  const changelog = '# @iii/mcp\n\n## 1.10.0\n\n### Minor Changes\n\n- new\n\n## 1.1.0\n\n- old\n'
  expect(findNotes(changelog, '1.10.0')).toBe('### Minor Changes\n\n- new')
  expect(findNotes(changelog, '1.1.0')).toBe('- old')
  expect(findNotes(changelog, '1.0.0')).toBe('')
})

it('does not release a worker without its archives', () => {
  expect(() => planReleases('/nowhere')).toThrow('run pnpm pack:workers')
})
