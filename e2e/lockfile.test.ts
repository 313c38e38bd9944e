import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from './source-files.ts'

interface Lockfile {
  packages: Record<string, { os?: string[] }>
  snapshots: Record<string, { optionalDependencies?: Record<string, string> }>
}

const text = readFileSync(new URL('pnpm-lock.yaml', root), 'utf8')
const { packages, snapshots } = parse(text) as Lockfile

/** The packages that come as one build for each platform, with the platforms. */
const builds = Object.entries(snapshots).flatMap(([name, { optionalDependencies = {} }]) => {
  const platforms = Object.entries(optionalDependencies).flatMap(
    ([id, version]) => packages[`${id}@${version}`]?.os ?? [],
  )
  return platforms.includes('linux') ? [{ name, platforms }] : []
})

describe('the lockfile', () => {
  // A registry that lacks the builds of other platforms makes a lockfile without them, with which nothing starts there.
  it('has every program for Linux, macOS and Windows', () => {
    expect(builds.length).toBeGreaterThan(5)
    for (const { name, platforms } of builds) {
      expect({ name, platforms }).toEqual({ name, platforms: expect.arrayContaining(['linux', 'darwin', 'win32']) })
    }
  })

  it('names no registry', () => {
    expect(text).not.toMatch(/https?:\/\//)
  })
})
