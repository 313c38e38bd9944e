import { argv, env } from 'node:process'
import { runWorker } from '@iii/sdk'
import manifest from '../package.json' with { type: 'json' }
import { serve } from './worker.ts'

const { name, version, description } = manifest

await runWorker({ name, version, description, argv: argv.slice(2), env, options: {}, serve })
