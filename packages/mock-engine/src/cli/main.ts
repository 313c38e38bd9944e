import { readFileSync } from 'node:fs'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { formatRule } from '../faults/rule-text.ts'
import { PortTakenError } from '../listen.ts'
import type { LogLine } from '../observability/log-functions.ts'
import type { MockEngineOptions } from '../options.ts'
import { parseEngineCommand, portFlag } from './options.ts'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
const command = parseEngineCommand(process.argv.slice(2), manifest.version)

process.stdout.on('error', onUnwritten)
// A warning that nobody reads is no reason to end.
process.stderr.on('error', () => undefined)

if (command.run === 'start') await start(command.options)
else if (command.run === 'print') process.stdout.write(command.text)
else fail(command.text, 2)

/** Runs an engine until a signal comes. */
async function start(options: MockEngineOptions): Promise<void> {
  try {
    const engine = await startMockEngine({ ...options, log: report })
    process.stdout.write(`iii-mock-engine: bus ${engine.url} http ${engine.httpUrl}\n${warnOfFaults(options)}`)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void stop(engine))
    }
  } catch (error) {
    fail(`${explain(error)}\n`, 1)
  }
}

/** Says at the start that the engine has faults on request. */
function warnOfFaults({ faults = [], seed }: MockEngineOptions): string {
  if (faults.length === 0) return ''
  return `iii-mock-engine: faults: ${faults.map(formatRule).join('; ')} (seed ${seed})\n`
}

/** Cuts every connection and ends; not with 0 when state was left unwritten. */
async function stop(engine: MockEngine): Promise<void> {
  await engine.close().catch((error: unknown) => fail(`${explain(error)}\n`, 1))
  process.exit()
}

/** Warnings and errors, the engine's own and those that workers log through it. */
function report({ level, message, service }: LogLine): void {
  if (level !== 'warn' && level !== 'error') return
  const said = `${service === undefined ? '' : `${service}: `}${message}`
  process.stderr.write(`iii-mock-engine: ${level}: ${said.replace(UNSEEN, toSeen)}\n`)
}

/** Workers write these lines, and a terminal may be at their end: what it would obey is shown instead. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function toSeen(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

function explain(error: unknown): string {
  if (error instanceof PortTakenError) return `${error.message}: choose another one with ${portFlag(error.use)}`
  return error instanceof Error ? error.message : String(error)
}

/** Whoever reads may have seen enough; on a full disk what was to be said is lost. */
function onUnwritten(error: NodeJS.ErrnoException): never {
  if (!['EPIPE', 'ECONNRESET', 'EOF'].includes(error.code ?? ''))
    fail(`the output could not be written: ${error.message}\n`, 1)
  return process.exit()
}

function fail(text: string, code: number): void {
  process.stderr.write(`iii-mock-engine: ${text}`)
  process.exitCode = code
}
