import { startMockEngine } from '@iii/mock-engine'
import type { JsonObject } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { createReach, offerAsking, startInvoker, toCall } from '../testing/invoker.ts'

const answering = (result: unknown) => ({ result, by: undefined })
const toLink = (params: object) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', ...params },
})
const capabilities = { elicitation: { url: {} } }

describe('a client that is asked in its session', () => {
  it('gets a name for each link it is asked to open, which its revision wants and 2026-07-28 does not have', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const [plain, named] = [toLink({ url: 'https://a.test' }), toLink({ url: 'https://a.test', elicitationId: 'e-1' })]
    await offerAsking(test, [{ a: plain, b: named }])
    const asked: JsonObject[] = []
    const reach = createReach(async (_, params) => {
      asked.push(params)
      return answering({ action: 'accept' })
    })
    await test.invoker.run(test.to('orders::ask'), toCall({ capabilities, reach }), {})
    expect(asked).toEqual([{ ...plain.params, elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/) }, named.params])
  })

  it('hears that the function went away which has asked it, and not that there is none', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    await offerAsking(test, [{ where: toLink({ url: 'https://a.test' }) }])
    const reach = createReach(async () => {
      await test.other.shutdown()
      return answering({ action: 'accept' })
    })
    await expect(test.invoker.run(test.to('orders::ask'), toCall({ capabilities, reach }), {})).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^orders::ask went away while the client was asked\. .* It was not called again\.$/,
      ),
    })
  })
})
