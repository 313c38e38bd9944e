import { expect } from 'vitest'
import { isAlive } from '../child.ts'
import type { Stack } from '../stack.ts'
import { expectNothingLeft, readPeak, type ServerStage, type ServerStageOptions, startServerStage } from './stage.ts'

/** By how much a server may make the worker grow. */
const GROWTH_BYTES = 64 * 2 ** 20

/** Scenarios about servers that do harm, on the engine of a stack. */
export interface Hostility {
  /**
   * Runs a worker with such servers. In the end it lives, its other server answers, its memory has not grown by more than 64 MiB over that of
   * a worker without them, and once it is stopped no process is left.
   */
  endure(servers: ServerStageOptions['servers'], body: (stage: ServerStage) => Promise<void>): Promise<void>
}

/** Measures a worker with nothing but a good server first. */
export async function prepareHostility({ engineUrl, worker: control }: Stack): Promise<Hostility> {
  const ordinary = await usePeak({ engineUrl, control, servers: () => ({}) }, async ({ call }) => {
    await call('calm::echo', { text: 'before' })
  })
  return {
    async endure(servers, body) {
      const peak = await usePeak({ engineUrl, control, servers }, async (stage) => {
        await body(stage)
        expect(isAlive(stage.child.pid)).toBe(true)
        expect(JSON.stringify(await stage.call('calm::echo', { text: 'still here' }))).toContain('still here')
      })
      expect(peak - ordinary, 'how much the memory has grown').toBeLessThanOrEqual(GROWTH_BYTES)
    },
  }
}

async function usePeak(options: ServerStageOptions, body: (stage: ServerStage) => Promise<void>): Promise<number> {
  await using stage = await startServerStage(options)
  await body(stage)
  const peak = readPeak(stage.child.pid)
  await expectNothingLeft(stage)
  return peak
}
