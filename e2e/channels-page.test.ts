import { startMockEngine } from '@iii/mock-engine'
import { registerWorker, type Worker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { readCodeBlock, readPage } from './pages.ts'

type Serve = (worker: Worker, readOrders: () => Promise<object[]>) => void

it('the page on the SDK shows how bytes come over a route and rows go out', async () => {
  const code = readCodeBlock(readPage('docs/sdk.md'), 'js', 'openChannelReader')
  const text = `export function serve(worker, readOrders) {\n${code}}`
  const { serve } = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as { serve: Serve }
  await using engine = await startMockEngine()
  await using worker = registerWorker(engine.url, { name: 'pages' })
  serve(worker, async () => [{ id: 7, total: 1350 }])
  const saved = { api_path: '/photos', http_method: 'PUT' }
  worker.registerTrigger({ type: 'http', function_id: 'photos::save', config: saved })
  worker.registerTrigger({ type: 'http', function_id: 'orders::csv', config: { api_path: '/orders.csv' } })
  await worker.ready({ timeoutMs: 5000 })

  const headers = { 'content-type': 'image/png' }
  const put = await fetch(`${engine.httpUrl}/photos`, { method: 'PUT', body: Buffer.alloc(300_000), headers })
  expect(await put.json()).toEqual({ bytes: 300_000 })
  const rows = await fetch(`${engine.httpUrl}/orders.csv`)
  expect([rows.status, rows.headers.get('content-type'), await rows.text()]).toEqual([200, 'text/csv', '7,1350\n'])
})
