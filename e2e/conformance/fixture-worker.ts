/** The worker `conformance`: what the official suite wants to find on a server, as ordinary functions of an engine. */
import { argv, env } from 'node:process'
import { runWorker } from '@iii/sdk'
import { offerAskingTools } from './fixtures/asking.ts'
import { offerByHand } from './fixtures/by-hand.ts'
import { offerChanges } from './fixtures/changes.ts'
import { offerContents } from './fixtures/contents.ts'
import { offerPrompts } from './fixtures/prompts.ts'
import { offerResources } from './fixtures/resources.ts'
import { offerRounds } from './fixtures/rounds.ts'
import { offerRunning } from './fixtures/running.ts'
import { offerTasks } from './fixtures/tasks.ts'

await runWorker({
  name: 'conformance',
  version: '0.0.0',
  description: 'The fixtures of the official MCP conformance suite',
  argv: argv.slice(2),
  env,
  options: {},
  serve(worker) {
    offerContents(worker)
    offerRunning(worker)
    offerAskingTools(worker)
    offerRounds(worker)
    offerByHand(worker)
    offerResources(worker)
    offerChanges(worker)
    offerTasks(worker)
    return offerPrompts(worker)
  },
})
