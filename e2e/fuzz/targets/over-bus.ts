import type { Worker } from '@iii/sdk'
import fc from 'fast-check'
import { anyText, json, objectOf } from '../inputs.ts'
import { type FuzzTarget, inTime, requireNoLeak } from '../target.ts'

const IDS = [
  ...[
    'skills::register',
    'skills::unregister',
    'skills::list',
    'skills::resources-list',
    'skills::resources-read',
    'skill::fetch',
  ],
  ...[
    'prompts::register',
    'prompts::unregister',
    'prompts::list',
    'prompts::mcp-list',
    'prompts::mcp-get',
    'mcp::handler',
    'mcp::health',
  ],
]

const payload = fc.oneof(
  json,
  objectOf({
    ...{
      id: anyText,
      skill: anyText,
      name: anyText,
      description: anyText,
      uri: anyText,
      function_id: anyText,
      files: json,
      arguments: json,
    },
    ...{ method: anyText, headers: json, body: json, jsonrpc: fc.constant('2.0'), params: json, query_params: json },
  }),
)

const call = fc.record({ function_id: fc.constantFrom(...IDS), payload })

/** Payloads of other workers, to all functions of registry and bridge. */
export function createBusTarget(worker: Worker): FuzzTarget<readonly { function_id: string; payload: unknown }[]> {
  const ask = async (request: { function_id: string; payload: unknown }): Promise<string> => {
    try {
      return JSON.stringify(await worker.trigger({ ...request, payload: request.payload as object })) ?? ''
    } catch (error) {
      const message = (error as Error).message
      if (/timed out|timeout/i.test(message)) throw new Error(`${request.function_id} hangs`)
      return message
    }
  }
  return {
    name: 'bus',
    input: fc.array(call, { minLength: 8, maxLength: 24 }),
    count: (all) => all.length,
    async run(all) {
      const told = await inTime('a call', Promise.all(all.map(ask)))
      // What somebody registered as a skill may look like anything.
      for (const [at, { function_id: id }] of all.entries()) {
        if (!/list|read|fetch|get/.test(id)) requireNoLeak(told[at] ?? '')
      }
    },
    async serves() {
      await inTime('skills::list', worker.trigger({ function_id: 'skills::list', payload: {} }))
    },
  }
}
