import { expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'

it('a call that came first is handled first, whatever the schemas of both are', async () => {
  await using stage = await startScriptedStage()
  const handled: unknown[] = []
  const handle = ({ nth }: { nth: number }) => handled.push(nth)
  const lines = z3.array(z3.object({ tags: z3.array(z3.string()) })).optional()
  stage.worker.registerFunction('a::deep', handle, { request_format: z3.object({ nth: z3.number(), lines }) })
  stage.worker.registerFunction('a::flat', handle, { request_format: z.object({ nth: z.number() }) })
  stage.worker.registerFunction('a::any', handle)
  await stage.worker.ready()
  const payloads = [{ nth: 0, lines: [{ tags: ['a'] }] }, { nth: 1 }, { nth: 2 }, { nth: 3 }]
  const ids = ['a::deep', 'a::deep', 'a::flat', 'a::any']
  await Promise.all(ids.map((id, nth) => invoke(stage.peer, id, payloads[nth])))
  expect(handled).toEqual([0, 1, 2, 3])
})
