import { expect, it } from 'vitest'
import { readWorkers } from './workers.ts'

it('are installed after those that they need, which a local manifest does not name', () => {
  const workers = readWorkers()
  expect(workers.map(({ name }) => name)).toEqual(['skills', 'mcp', 'runs', 'mcp-client'])
  expect(workers.filter(({ manifest }) => manifest.dependencies !== undefined)).toEqual([])
  const [skills] = workers
  expect(workers.map(({ needs }) => needs)).toEqual([{}, { skills: `^${skills?.version}` }, {}, {}])
})
