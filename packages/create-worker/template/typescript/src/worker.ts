import { readFileSync } from 'node:fs'
import { publish, type Worker } from '@iii/sdk'
import { z } from 'zod'

const skill = readFileSync(new URL('../skills/hello.md', import.meta.url), 'utf8')

/** Puts everything that this worker offers on the engine. */
export function serve(worker: Worker) {
  worker.registerFunction('hello::greet', ({ name }) => ({ greeting: `Hello, ${name}!` }), {
    description: 'Greets a person by name.',
    request_format: z.object({ name: z.string().min(1).describe('Who to greet') }),
    response_format: z.object({ greeting: z.string() }),
    mcp: { title: 'Greet somebody' },
  })

  publish(worker, { skills: [{ id: 'hello', skill }] })
}
