import { expect, it } from 'vitest'
import { z } from 'zod'
import { registerMcpFunction } from '../mcp/register-mcp-function.ts'
import { startScriptedStage } from '../testing/start-worker.ts'

it.each([
  [{ expose: false }, "The function 'a::b' has 'expose', which is not read; did you mean 'mcp: { expose }'?"],
  [{ title: 'x' }, "did you mean 'mcp: { title }'?"],
  [{ internal: true }, "did you mean 'metadata: { internal }'?"],
  [{ inputSchema: z.object({}) }, "did you mean 'request_format'?"],
  [{ request_schema: {} }, "did you mean 'request_format'?"],
  [{ outputSchema: z.object({}) }, "did you mean 'response_format'?"],
])(
  'refuses an option that belongs elsewhere, by which nothing would be hidden or checked: %o',
  async (options, says) => {
    await using stage = await startScriptedStage()
    expect(() => stage.worker.registerFunction('a::b', () => 'x', options as object)).toThrow(says)
    expect(() => registerMcpFunction(stage.worker, 'a::b', () => 'x', options as object)).toThrow(says)
  },
)

it('refuses beside the id what is said behind the handler, where it would be passed over', async () => {
  await using stage = await startScriptedStage()
  const target = { id: 'a::b', description: 'x', metadata: { 'mcp.expose': false } }
  const says = "has 'description' beside its id, where it is not read: registerFunction(id, handler, { description })"
  expect(() => stage.worker.registerFunction(target, () => 'x')).toThrow(says)
})
