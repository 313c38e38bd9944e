import type { Scene } from './arena.ts'
import { PAYLOAD } from './payload.ts'

export const sdkScene: Scene = {
  benches: [
    {
      title: 'sdk: a function of the official SDK as floor',
      async open(arena) {
        await arena.startWorker('official-worker.ts', 'official::echo')
        await arena.startWorker('floor-worker.ts', 'floor::echo')
        const call = (functionId: string) => () =>
          arena.stack.worker.trigger({ function_id: functionId, payload: PAYLOAD })
        return [
          { name: 'official iii-sdk', run: call('official::echo') },
          { name: '@iii/sdk', run: call('floor::echo') },
        ]
      },
    },
  ],
}
