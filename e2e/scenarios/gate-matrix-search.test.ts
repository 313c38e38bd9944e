import { afterAll, beforeAll, expect } from 'vitest'
import { PATHS, SEARCH_PATHS } from '../gate-matrix/paths.ts'
import { type MatrixStage, startMatrixStage } from '../gate-matrix/stage.ts'
import { walkMatrix } from '../gate-matrix/walk-matrix.ts'
import { scenario } from '../scenario.ts'
import { WIRES } from '../wire-clients.ts'

/** The ways to a tool where lists have few of them: by a name that is not listed, and by what calls it. */
let stage: MatrixStage
beforeAll(async () => {
  stage = await startMatrixStage('tools: search')
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const BY_NAME = PATHS.filter(({ name }) => name === 'tools/call')

for (const path of [...BY_NAME, ...SEARCH_PATHS]) {
  for (const wire of path.wires ?? WIRES) {
    scenario(['gate/matrix'], `${path.name} in search mode, ${wire}: each reason in its own words`, () =>
      walkMatrix(stage, path, wire),
    )
  }
}

scenario(['gate/matrix'], 'after all that nothing is stored through call_tool', async () => {
  const stored = { function_id: 'state::get', payload: { scope: 'gate-matrix', key: 'leak' } }
  expect((await stage.stack.worker.trigger(stored)) ?? null).toBeNull()
  expect([...new Set(stage.ran)]).toEqual(['matrix::open'])
})
