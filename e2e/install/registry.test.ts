import { expect, it } from 'vitest'
import { toWorkerGraph } from './registry.ts'

const payload = (worker_name: string, needs: string[] = []) => ({
  worker_name,
  version: '1.0.0',
  repo: 'r',
  dependencies: needs.map((name) => ({ name, version: '^1.0.0' })),
  binaries: {},
})

it('gives the graph of a worker, those that it needs first', () => {
  const payloads = new Map([payload('a', ['b']), payload('b'), payload('c')].map((row) => [row.worker_name, row]))
  expect(toWorkerGraph('a', payloads)).toMatchObject({
    root: { name: 'a', version: '1.0.0' },
    graph: [{ name: 'b' }, { name: 'a', dependencies: { b: '^1.0.0' } }],
    edges: [{ from: 'a', to: 'b', range: '^1.0.0' }],
  })
  expect(toWorkerGraph('none', payloads)).toBeUndefined()
})
