import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { formatPublishedManifest, requireWorkerManifest } from './worker-manifest.ts'

const valid = { name: 'mcp', description: 'One line', scripts: { install: '', start: 'exec node bundle/index.mjs' } }

it('takes what the engine takes', () => {
  const full = {
    ...valid,
    iii: 'v1',
    deploy: 'bundle',
    tags: ['a'],
    resources: { cpus: 1, memory: 512 },
    env: { A: '1' },
  }
  expect(requireWorkerManifest(full)).toEqual(full)
})

it.each([
  [{ version: '1.0.0' }, /version/],
  [{ bin: 'mcp' }, /bin/],
  [{ license: 'MIT' }, /license/],
  [{ language: 'node' }, /language/],
  [{ config: {} }, /config/],
  [{ name: 'Mcp' }, /name/],
  [{ env: { PORT: 80 } }, /env\.PORT/],
  [{ scripts: { start: 'x' } }, /scripts\.install/],
  [{ scripts: { install: '', start: 'x', setup: 'y' } }, /setup/],
  [{ resources: { cpus: 8, memory: 512 } }, /resources\.cpus/],
  [{ runtime: { kind: 'node' } }, /kind/],
])('refuses %j and names the key', (change, words) => {
  expect(() => requireWorkerManifest({ ...valid, ...change })).toThrow(words)
})

it('adds to the published manifest what has to be installed first', () => {
  expect(parse(formatPublishedManifest(valid, {}))).toEqual(valid)
  const dependencies = { skills: '^1.2.3' }
  expect(parse(formatPublishedManifest(valid, dependencies))).toEqual({ ...valid, dependencies })
})
