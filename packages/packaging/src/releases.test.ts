import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { findNotes, planReleases } from './releases.ts'
import { readWorkers } from './workers.ts'

it('finds the notes of one version', () => {
  const changelog = '# @iii/mcp\n\n## 1.10.0\n\n### Minor Changes\n\n- new\n\n## 1.1.0\n\n- old\n'
  expect(findNotes(changelog, '1.10.0')).toBe('### Minor Changes\n\n- new')
  expect(findNotes(changelog, '1.1.0')).toBe('- old')
  expect(findNotes(changelog, '1.0.0')).toBe('')
})

it('does not release a worker without its archives', () => {
  expect(() => planReleases('/nowhere')).toThrow('run pnpm pack:workers')
})

it('leaves archives of a prerelease alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'releases-'))
  for (const { name, version } of readWorkers()) {
    for (const file of [`${version}-bundle`, `${version}-rc.1-bundle`])
      writeFileSync(join(folder, `${name}-${file}.tar.gz`), '')
  }
  const planned = planReleases(folder).flatMap(({ files }) => files)
  rmSync(folder, { recursive: true })
  expect(planned).toHaveLength(readWorkers().length)
  expect(planned.join()).not.toContain('-rc.')
})

it('says in one line what is missing', () => {
  const script = fileURLToPath(new URL('github-release.ts', import.meta.url))
  const args = ['--conditions=@iii/source', '--import', 'tsx', script, '--print', '--archives', '/nowhere']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^\/nowhere has no .*: run pnpm pack:workers\n$/),
  ])
})
