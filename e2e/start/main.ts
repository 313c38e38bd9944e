import process from 'node:process'
import { explainDeath } from '../child.ts'
import { type Command, HELP, parseCommand } from './arguments.ts'
import { createCrew } from './crew.ts'
import { launch } from './launch.ts'
import { formatNextSteps } from './next-steps.ts'
import { findObstacle } from './obstacle.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
/** Package managers pass a Ctrl-C on that the terminal gave us already: within this time it is the same one. */
const ECHO_MS = 500

process.exitCode = await start(parseCommand(process.argv.slice(2)))

async function start(command: Command): Promise<number> {
  if (command.kind === 'help') return say(HELP.trimEnd())
  if (command.kind === 'wrong') return complain(`${command.message}\n\n${HELP}`, EXIT_USAGE)
  const obstacle = await findObstacle(command)
  return obstacle === undefined ? await run(command) : complain(obstacle, EXIT_FAILED)
}

/** Runs everything until Ctrl-C or until a part of it ends by itself. */
async function run(command: Extract<Command, { kind: 'embedded' | 'external' }>): Promise<number> {
  const over = new AbortController()
  const crew = createCrew((name, line) => {
    if (command.verbose) process.stderr.write(`${name}: ${line}\n`)
  })
  const asked = waitForSignal(() => crew.kill())
  const lost = crew.loss.then((child) => explainDeath(child))
  say('Starting. Ctrl-C stops everything.')
  const failed = launch(command, { crew, say: (line) => say(`  ${line}`), signal: over.signal }).then(
    (mcpUrl) => void say(formatNextSteps(mcpUrl)),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

  const problem = await Promise.race([asked, lost, failed.then((message) => message ?? Promise.race([asked, lost]))])
  over.abort()
  say('Stopping.')
  await crew.stop()
  return problem === undefined ? 0 : complain(`${problem}\nEverything was stopped.`, EXIT_FAILED)
}

/** Resolves at the first Ctrl-C or SIGTERM; a second one does not wait for anybody. */
function waitForSignal(onSecond: () => void): Promise<undefined> {
  return new Promise((resolve) => {
    let first: number | undefined
    const listener = () => {
      if (first !== undefined && performance.now() - first > ECHO_MS) onSecond()
      first ??= performance.now()
      resolve(undefined)
    }
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, listener)
  })
}

function say(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function complain(text: string, code: number): number {
  process.stderr.write(`${text.trimEnd()}\n`)
  return code
}
