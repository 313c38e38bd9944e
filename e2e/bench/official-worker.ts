/** The same function as the floor worker's, by the official SDK. */
import { argv } from 'node:process'
import { registerWorker } from 'iii-sdk'

const iii = registerWorker(argv[3] ?? '', { workerName: 'official' })
iii.registerFunction('official::echo', async (payload: unknown) => payload)
