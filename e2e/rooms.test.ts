import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type FileImport, findCircles, readImports } from './imports.ts'
import { isShipped, listSources, packages, root } from './source-files.ts'

/** What lies in the sources of each, files at its root by their names. Each knows those before it and nothing of its own line. */
const rooms: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'apps/mcp-bridge': [
    ['auth'],
    ['mcp'],
    ['telemetry'],
    ['options.ts'],
    ['gate', 'sessions', 'neighbours'],
    ['invocation'],
    ['resources', 'tasks'],
    ['prompts', 'management'],
    ['tools', 'changes'],
    ['call-feed'],
    ['server'],
    ['http', 'stdio', 'bare.ts'],
    ['assemble.ts'],
    ['worker.ts', 'operator'],
    ['main.ts'],
  ],
  'apps/skills-registry': [
    ['options.ts', 'serve.ts', 'store', 'markdown', 'invocation'],
    ['records', 'renditions'],
    ['files'],
    ['skills'],
    ['agent-skills'],
    ['prompts', 'resources', 'lint'],
    ['worker.ts', 'skill-folder'],
    ['operator'],
    ['main.ts'],
  ],
  'apps/run-records': [
    ['record', 'tasks'],
    ['graph', 'redaction', 'lock'],
    ['diff', 'jobs'],
    ['cache', 'options.ts'],
    ['contracts', 'store'],
    ['runner', 'calls', 'rendering'],
    ['inspection', 'schedule', 'assemble.ts'],
    ['worker.ts', 'operator'],
    ['main.ts'],
  ],
  'apps/mcp-client': [
    ['options.ts', 'clock.ts', 'diagnostics'],
    ['configuration', 'redaction', 'transport'],
    ['results', 'session', 'import'],
    ['catalog'],
    ['pins', 'functions'],
    ['servers'],
    ['calls', 'conflict'],
    ['assemble.ts'],
    ['worker.ts', 'operator'],
    ['main.ts'],
  ],
  'packages/sdk': [
    ['terminal', 'suggestions', 'open-files.ts', 'pause.ts', 'host.ts'],
    ['log.ts', 'schema', 'engine', 'process-group'],
    ['wire', 'http'],
    ['ownership'],
    ['worker'],
    ['state', 'options', 'ask', 'change-feed', 'call-feed', 'publish'],
    ['settings', 'mcp'],
    ['commands', 'run'],
    ['doctor'],
    ['index.ts', 'cli.ts'],
  ],
  'packages/mock-engine': [
    ['json', 'listen.ts', 'suggestions'],
    ['wire', 'schema'],
    ['bus'],
    ['builtins', 'channels', 'client', 'faults', 'generation'],
    ['configuration', 'cron', 'engine-functions', 'http', 'observability', 'queue', 'state'],
    ['connections'],
    ['access'],
    ['options.ts'],
    ['instance.ts'],
    ['lifecycle.ts'],
    ['engine.ts'],
    ['index.ts', 'cli'],
  ],
}

describe.each(Object.entries(rooms))('the rooms of %s', (folder, steps) => {
  const src = `${folder}/src`
  const toRoom = (path: string) => path.slice(src.length + 1).split('/')[0] ?? ''
  const toStep = (path: string) => steps.findIndex((names) => names.includes(toRoom(path)))
  const sources = listSources(src).filter(isShipped)
  const across = readImports(sources, root).filter(({ from, to }) => toRoom(from) !== toRoom(to))
  const tell = ({ from, to }: FileImport) => `${from.slice(src.length + 1)} → ${to.slice(src.length + 1)}`

  it('are these, with six files beside them at most', () => {
    expect([...new Set(sources.map(toRoom))].sort()).toEqual(steps.flat().sort())
    expect(steps.flat().filter((name) => name.endsWith('.ts')).length).toBeLessThanOrEqual(6)
  })

  it('import nothing beside or above them, not even a type', () => {
    expect(across.filter(({ from, to }) => toStep(to) >= toStep(from)).map(tell)).toEqual([])
  })

  it('serve without what is of the operator', () => {
    const importers = across.filter(({ to }) => toRoom(to) === 'operator').map(({ from }) => toRoom(from))
    expect(importers.filter((room) => room !== 'main.ts')).toEqual([])
  })
})

describe('imports', () => {
  it.each(packages)('of %s make no circle, not even of types', (folder) => {
    expect(findCircles(readImports(listSources(`${folder}/src`).filter(isShipped), root))).toEqual([])
  })

  it.each(packages)('of %s stay within it', (folder) => {
    const sources = listSources(`${folder}/src`).filter((path) => path.endsWith('.ts'))
    expect(readImports(sources, root).filter(({ to }) => !to.startsWith(`${folder}/`))).toEqual([])
  })
})

describe('the bridge', () => {
  it('hands no result of MCP on without its type', () => {
    const untyped = /\bPromise<JsonObject\b|\bresult: JsonObject\b/
    const sources = listSources('apps/mcp-bridge/src').filter((path) => isShipped(path) && !path.includes('/operator/'))
    expect(sources.filter((path) => untyped.test(readFileSync(new URL(path, root), 'utf8')))).toEqual([])
  })

  it('answers without knowing by which transport', () => {
    const carriers = /^apps\/mcp-bridge\/src\/(?:http|stdio)\//
    const imports = readImports(listSources('apps/mcp-bridge/src').filter(isShipped), root)
    const importers = imports
      .filter(({ from, to }) => carriers.test(to) && !carriers.test(from))
      .map(({ from }) => from)
    expect([...new Set(importers)].sort()).toEqual(
      ['assemble.ts', 'main.ts', 'worker.ts'].map((file) => `apps/mcp-bridge/src/${file}`),
    )
  })
})
