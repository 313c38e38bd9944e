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

const options = { workerName: 'demo', workerDescription: 'Shows what there is' }
const iii = unhurried(registerWorker(argv[2] ?? 'ws://127.0.0.1:49134', options))

offerTools(iii)
offerChannels(iii)
offerRoutes(iii)
offerTicks(iii)
bindTriggers(iii)
await publishTexts(iii)
