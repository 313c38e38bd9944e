import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isIgnored, listFolders, listSources, packages, root } from './source-files.ts'

/** Who may depend on whom at run time. Biome refuses imports that a manifest does not list, so the manifests decide. */
const allowed: Record<string, readonly string[]> = {
  'packages/protocol': ['zod'],
  'packages/sdk': [
    '@iii/protocol',
    '@types/node',
    'fastest-levenshtein',
    'pino',
    'ws',
    'yaml',
    'zod',
    'zod-to-json-schema',
  ],
  'packages/pack-worker': ['@iii/mock-engine', '@iii/protocol', '@iii/sdk', '@types/node', 'esbuild', 'yaml', 'zod'],
  // What it writes needs the others; it imports names and their rules alone, and is published without any.
  'packages/create-worker': ['@iii/mock-engine', '@iii/pack-worker', '@iii/protocol', '@iii/sdk'],
  'packages/mock-engine': ['@iii/protocol', '@types/node', 'fastest-levenshtein', 'ws'],
  'packages/packaging': ['@iii/pack-worker', '@iii/page', 'esbuild', 'yaml', 'zod'],
  'packages/page': [
    '@dagrejs/dagre',
    '@modelcontextprotocol/client',
    '@preact/signals',
    'dompurify',
    'esbuild',
    'marked',
    'preact',
  ],
  'apps/mcp-bridge': [
    '@iii/protocol',
    '@iii/sdk',
    '@modelcontextprotocol/server',
    '@decimalturn/toml-patch',
    'jose',
    'jsonc-parser',
    'zod',
  ],
  'apps/mcp-client': ['@iii/protocol', '@iii/sdk', '@modelcontextprotocol/sdk', 'jsonc-parser', 'yaml', 'zod'],
  'apps/run-records': ['@iii/protocol', '@iii/sdk', 'yaml', 'zod'],
  'apps/skills-registry': ['@iii/protocol', '@iii/sdk', 'yaml', 'zod'],
}

/** What lies at the top of the repository, and nothing else. */
const topLevel = [
  '.changeset',
  '.ci',
  '.github',
  '.gitignore',
  '.oxlintrc.json',
  'AGENTS.md',
  'LICENSE',
  'README.md',
  'apps',
  'biome.json',
  'docs',
  'e2e',
  'knip.json',
  'lefthook.yml',
  'package.json',
  'packages',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'tsconfig.base.json',
  'tsconfig.json',
  'turbo.json',
  'vitest.config.ts',
]

/** Names that could hold anything. */
const emptyNames = ['common', 'constants', 'core', 'helpers', 'lib', 'manager', 'service', 'types', 'utils']

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'))
}

describe('the packages', () => {
  it('are all known here', () => {
    expect(packages.sort()).toEqual(Object.keys(allowed).sort())
  })

  it.each(packages)('%s depends at run time only on what it may', (folder) => {
    const { dependencies, optionalDependencies, peerDependencies } = readManifest(folder)
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    expect(names.filter((name) => !allowed[folder]?.includes(name))).toEqual([])
  })

  it.each(listFolders('apps'))('%s does not know the other apps, not even in its tests', (folder) => {
    const others = listFolders('apps').map((app) => readManifest(app).name)
    const { dependencies, devDependencies } = readManifest(folder)
    expect(Object.keys({ ...dependencies, ...devDependencies }).filter((name) => others.includes(name))).toEqual([])
  })

  it.each(listFolders('apps'))('%s opens with the three files that every app opens with', (folder) => {
    expect(listSources(`${folder}/src`)).toEqual(
      expect.arrayContaining(['main.ts', 'options.ts', 'worker.ts'].map((file) => `${folder}/src/${file}`)),
    )
  })
})

describe('the worker of runs', () => {
  const sources = listSources('apps/run-records/src').filter((path) => !/\.test\.ts$|\/testing\//.test(path))
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const matching = (pattern: RegExp) => sources.filter((path) => pattern.test(read(path)))
  const within =
    (...rooms: string[]) =>
    (path: string) =>
      rooms.some((room) => path.startsWith(`apps/run-records/src/${room}`))

  it('has one module that runs something: commands, tools and the clock are doors to it', () => {
    expect(matching(/metadata: \{ runs: \{/)).toEqual(['apps/run-records/src/runner/task-run.ts'])
    const doors = matching(/runner\.start\(/).filter((path) => !within('runner/')(path))
    expect(doors.map((path) => path.replace('apps/run-records/src/', '')).sort()).toEqual([
      'inspection/run-job.ts',
      'operator/run.ts',
      'schedule/serve.ts',
    ])
  })

  it('writes records in one place: looking at them imports nothing that writes', () => {
    const writes =
      /\b(?:index|runs|calls|cache|facts)\.(?:add|write|writeTask|writeBaselines|store|update|remove|removeRow|ensure)\(/
    expect(matching(writes).filter((path) => !within('runner/', 'calls/', 'store/')(path))).toEqual([])
    expect(
      matching(/['`]state::(?:\$|set|update|delete)/).filter(
        (path) => !within('store/rows.ts', 'lock/lock-store.ts')(path),
      ),
    ).toEqual([])
  })
})

describe('the worker of MCP servers', () => {
  const isScript = (path: string) => /\.[jt]s$/.test(path) && !/\.test\.ts$|\/testing\//.test(path)
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const own = listSources('apps/mcp-client/src').filter(isScript)

  it('has no function that calls whatever it is told to: each tool is a function of its own', () => {
    const ids = own.flatMap((path) => [...read(path).matchAll(/['"`](mcp-client::[a-z_-]+)/g)].map(([, id = '']) => id))
    // Others are told of something by `on-…`.
    const called = new Set(ids.filter((id) => !id.startsWith('mcp-client::on-')))
    expect([...called].sort()).toEqual(['mcp-client::restart', 'mcp-client::status'])
  })

  it('reaches the other workers by function ids alone', () => {
    const imports = own.flatMap((path) =>
      [...read(path).matchAll(/from '([^']+)'/g)].map(([, from = '']) => ({ path, from })),
    )
    expect(
      imports.filter(({ from }) => /mcp-bridge|run-records|skills-registry|@iii\/(?:mcp|runs|skills)$/.test(from)),
    ).toEqual([])
  })

  it('keeps to itself who may run a server: what all workers share has no word for it', () => {
    const words = /\b(?:un)?trust(?:ed|s)?\b|sandboxed|\bauthority\b|\bgrant(?:s|ed)?\b|approv|quarantine/i
    const shared = ['packages/sdk/src', 'packages/protocol/src'].flatMap(listSources).filter(isScript)
    expect(shared.filter((path) => words.test(read(path)))).toEqual([
      // Of a port of the engine.
      'packages/sdk/src/http/route-reach.ts',
    ])
  })
})

describe('the repository', () => {
  it('has nothing at its top level but what belongs there', () => {
    expect(
      readdirSync(root)
        .filter((name) => !isIgnored(name))
        .sort(),
    ).toEqual(topLevel)
  })

  it('has no source file or folder whose name could hold anything', () => {
    const sources = ['packages', 'apps', 'e2e', 'docs'].flatMap(listSources)
    expect(sources.length).toBeGreaterThan(100)
    const names = sources.flatMap((path) => path.split('/').map((part) => ({ path, part: part.split('.')[0] ?? '' })))
    expect(names.filter(({ part }) => emptyNames.includes(part)).map(({ path }) => path)).toEqual([])
  })
})
