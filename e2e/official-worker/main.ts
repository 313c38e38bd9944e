/**
 * A worker as somebody outside of this repository writes it: on the official `iii-sdk`, with nothing of ours. It uses
 * all that this SDK offers and an engine without further workers has. `../python/worker.py` is the same in Python.
 */
import { argv } from 'node:process'
import { registerWorker } from 'iii-sdk'
import { bindTriggers } from './bound.ts'
import { offerChannels } from './channels.ts'
import { offerRoutes } from './routes.ts'
import { publishTexts } from './texts.ts'
import { offerTicks } from './ticks.ts'
import { offerTools } from './tools.ts'
import { unhurried } from './unhurried.ts'

const [, , url = 'ws://127.0.0.1:49134', workerName = 'demo'] = argv
const options = { workerName, workerDescription: 'Shows what there is' }
const iii = unhurried(registerWorker(url, options))

offerTools(iii)
offerChannels(iii)
offerRoutes(iii)
offerTicks(iii)
bindTriggers(iii)
// With it all that comes before has reached the engine.
iii.registerFunction(`${workerName}::there`, async () => ({}))
await publishTexts(iii)
