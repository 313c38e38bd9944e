import process from 'node:process'
import { toVisible } from '@iii/protocol'
import { HELP, parseStartCommand, type StartCommand } from './arguments.ts'
import { toComplaint } from './complaints.ts'
import { createCrew } from './crew.ts'
import { explainLastWrite, explainLoss } from './endings.ts'
import { launch } from './launch.ts'
import { formatStartSteps } from './next-steps.ts'
import { prepareStart, type StartPlan } from './prepare.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
/** Package managers pass a Ctrl-C on that the terminal gave us already: within this time it is the same one. */
const ECHO_MS = 500

const unread = watchReader()
process.exitCode = await start(parseStartCommand(process.argv.slice(2)))

async function start(command: StartCommand): Promise<number> {
  if (command.kind === 'help') return say(HELP.trimEnd())
  if (command.kind === 'wrong') return complain(`${command.message}\nTry 'start --help'.`, EXIT_USAGE)
  const plan = await prepareStart(command).catch((error: unknown) => `${messageOf(error)}\nNothing was started.`)
  return typeof plan === 'string' ? complain(plan, EXIT_FAILED) : await run(plan)
}

/** Runs everything until Ctrl-C, until nobody reads any more, or until a part of it ends by itself. */
async function run(plan: StartPlan): Promise<number> {
  const over = new AbortController()
  const dataDir = plan.kind === 'embedded' ? plan.dataDir : undefined
  const crew = createCrew({
    keepsData: dataDir !== undefined,
    onLine(name, line) {
      const complaint = toComplaint(name, line)
      if (plan.verbose) process.stderr.write(`${name}: ${line}\n`)
      else if (complaint !== undefined) process.stderr.write(`${complaint}\n`)
    },
  })
  const asked = Promise.race([waitForSignal(() => crew.kill()), unread])
  const lost = crew.loss.then(explainLoss)
  say('Starting. Ctrl-C stops everything.')
  const failed = launch(plan, { crew, say: (line) => say(`  ${line}`), signal: over.signal }).then(
    (mcpUrl) => void say(formatStartSteps(mcpUrl)),
    messageOf,
  )

  const problem = await Promise.race([asked, lost, failed.then((message) => message ?? Promise.race([asked, lost]))])
  over.abort()
  say('Stopping.')
  const ending = await crew.stop()
  const unwritten = ending && dataDir !== undefined ? explainLastWrite(ending, dataDir) : undefined
  const problems = [problem, unwritten].flatMap((text) => text ?? [])
  if (problems.length > 0) complain(problems.join('\n'), EXIT_FAILED)
  say('Stopped.')
  return problems.length === 0 ? 0 : EXIT_FAILED
}

/** Resolves when nobody reads what we print, as after `start | head -2`. What is printed then is lost without a word. */
function watchReader(): Promise<undefined> {
  process.stderr.on('error', () => {})
  return new Promise((resolve) => {
    process.stdout.on('error', () => resolve(undefined))
  })
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function say(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

/** What others are called is in some of it. */
function complain(text: string, code: number): number {
  process.stderr.write(`${toVisible(text).trimEnd()}\n`)
  return code
}
