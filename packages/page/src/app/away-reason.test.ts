import { expect, it } from 'vitest'
import { type FailedRequest, readError, toAwayReason } from './away-reason.ts'

it.each<[FailedRequest | undefined, string, string]>([
  [undefined, 'No revision', ''],
  [{}, 'Nothing answers at this address.', 'Is the engine running?'],
  [{ status: 404 }, 'no worker mcp does', 'npx -y @iii/mcp --no-stdio'],
  [{ status: 503, said: 'Line 3: a tab' }, 'Line 3: a tab', 'npx -y @iii/mcp doctor'],
  [{ status: 500 }, 'status 500', 'npx -y @iii/mcp doctor'],
])('after %j it says what is wrong and what to do', (failed, what, todo) => {
  const reason = toAwayReason(new Error('No revision'), failed)
  expect(reason.what).toContain(what)
  expect(reason.todo).toContain(todo)
})

it.each([
  ['{"error":{"message":"Locked"}}', 'Locked'],
  ['{"error":{"message":{}}}', undefined],
  ['null', undefined],
  ['<html>', undefined],
])('of the reply %s it reads %j', async (body, said) => {
  expect(await readError(new Response(body, { status: 503 }))).toEqual({ status: 503, said })
})
