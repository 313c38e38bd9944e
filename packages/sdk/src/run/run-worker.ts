import { constants } from 'node:os'
import { messageOf } from '../engine/message-of.ts'
import { askNamespaces, explainUnusual } from '../engine/namespace.ts'
import { toPublicUrl } from '../engine/url.ts'
import { askEngineVersion, explainUnsupported, SUPPORTED_ENGINES } from '../engine/version.ts'
import { explainNoFolder } from '../host.ts'
import { createLog, type Logger } from '../log.ts'
import { COMMON_OPTIONS, type CommandLine, findUsageProblem, readCommandLine } from '../options/command-line.ts'
import { formatHelp } from '../options/help.ts'
import { type AnyOptionTable, checkOptionTable } from '../options/option-table.ts'
import { followStored, type StoredSettings } from '../settings/follow-stored.ts'
import { type Settings, startSettings, type WatchedSettings } from '../settings/settings.ts'
import { createPaint } from '../terminal/paint.ts'
import { exitUnwritten } from '../terminal/unwritten.ts'
import type { ReattachStore } from '../wire/reattach.ts'
import type { Naming } from '../worker/presence.ts'
import { registerWorker } from '../worker/register-worker.ts'
import type { Worker } from '../worker/worker.ts'
import { optimizeSooner } from './hot-code.ts'
import { toManifest } from './manifest.ts'
import { limitOldHeap } from './old-heap.ts'
import { createReattachFile } from './reattach-file.ts'
import { untilReached } from './until-reached.ts'
import { checkWorkerSpec, type Served, type WorkerSpec } from './worker-spec.ts'
import { limitYoungHeap } from './young-heap.ts'

const STOP_WITHIN_MS = 1900
const USAGE_EXIT_CODE = 2

/**
 * Runs a worker process: reads flags, environment and file, connects, serves (with the settings that the engine keeps for it, when the
 * engine has started it), and on SIGTERM or SIGINT stops within two
 * seconds with exit code 0 (a second signal stops at once). Prints on stdout only what `--help`, `--version` and
 * `--manifest` ask for; the log goes to stderr.
 *
 * @throws Fault `invalid_input` for an option without what it needs, and for a mistyped field
 */
export async function runWorker<T>(spec: WorkerSpec<T>): Promise<void> {
  checkWorkerSpec(spec)
  const table = spec.options as unknown as AnyOptionTable
  checkOptionTable(table)
  const said = readCommandLine(spec.argv, spec.env, table, { worker: spec.name })
  const command = spec.command ?? spec.name
  const problem = 'problem' in said ? said.problem : findUsageProblem(spec, said)
  if ('problem' in said || problem !== undefined) {
    exitUnwritten(command, process)
    process.stderr.write(`${command}: ${problem}\nTry '${command} --help'.\n`)
    process.exitCode = USAGE_EXIT_CODE
  } else if (said.print !== undefined) {
    exitUnwritten(command, process)
    process.stdout.write(`${toPrinted(said.print, { ...spec, command })}\n`)
  } else {
    await run(spec, said).catch((error: unknown) => {
      const reason = explainNoFolder(error)
      if (reason === undefined) throw error
      process.stderr.write(`${command}: ${reason}\n`)
      process.exitCode = 1
    })
  }
}

function toPrinted<T>(what: NonNullable<CommandLine['print']>, spec: WorkerSpec<T> & { command: string }): string {
  const { version, options, footnote, env } = spec
  const table = options as unknown as AnyOptionTable
  if (what === 'version') return version
  if (what === 'manifest') return JSON.stringify(toManifest(spec, table), null, 2)
  const paint = createPaint(process.stdout, env)
  const app = { ...spec, footnote: typeof footnote === 'function' ? footnote(paint) : footnote }
  return formatHelp(app, { ...table, ...COMMON_OPTIONS }, paint)
}

async function run<T>(spec: WorkerSpec<T>, said: CommandLine): Promise<void> {
  const log = createLog({ name: said.workerName ?? spec.name, level: said.debug ? 'debug' : 'info' })
  for (const stray of said.strays) log.warn(stray)
  const saidToNode = `${process.execArgv} ${spec.env['NODE_OPTIONS']}`
  const releaseHeap = limitYoungHeap(saidToNode)
  limitOldHeap(saidToNode)
  const settings = startSettings(spec, { fixed: said.own, file: said.config }, log)
  const { version, description } = spec
  // Nothing that others serve is taken from them by a process that would refuse everything.
  const defers = spec.waitsItsTurn === true || settings.locked !== undefined
  const worker = registerWorker(said.url, {
    ...nameWorker(spec, said, settings.value),
    namespace: said.namespace,
    reattach: toReattach(said, log),
    version,
    description,
    log,
    watchOwnership: true,
    defers,
    ...spec.worker,
  })
  const stored = said.workerName === undefined ? undefined : follow(spec, said, { worker, settings, log })
  let served: Served | undefined

  const stop = createStop(log, async () => {
    settings.stop()
    stored?.stop()
    // In plain JavaScript it may be anything, such as what the last line registered.
    if (typeof served?.close === 'function') await served.close()
    await worker.shutdown()
    releaseHeap()
  })
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  try {
    // Nothing is shown that the stored settings hide; without an engine there is nobody to show it to.
    await stored?.settled
    served = (await spec.serve(worker, settings, log)) || undefined
    // After whatever else comes of a mended file.
    claimUnlessLocked(spec, worker, settings)
    // There may be nothing left to do before there is an engine.
    void served?.done?.then(() => stop('done'))
    await Promise.all([served?.ready, worker.ready()])
    await untilReached(worker, log)
    if (worker.state === 'closed') return
  } catch (error) {
    if (worker.state === 'closed') return
    log.error({ reason: messageOf(error) }, 'cannot start')
    stop('failure')
    return
  }
  optimizeSooner({ version: process.versions.node, given: saidToNode })
  const { locked } = settings
  log.info({ url: toPublicUrl(said.url), functions: worker.functionIds, locked }, 'ready')
  await Promise.all([warnOfEngine(worker, log), warnOfNamespace(worker, log)])
}

function toReattach({ reattachFile: path, url }: CommandLine, log: Logger): ReattachStore | undefined {
  return path === undefined ? undefined : createReattachFile({ path, url, log })
}

/** Who serves one client is one of many; who serves everybody has the name, if nobody else has. */
function nameWorker<T>(spec: WorkerSpec<T>, said: CommandLine, value: Readonly<T>): { name: string; naming: Naming } {
  const kind = said.workerName === undefined && !said.exactName ? spec.kindOfMany?.(value) : undefined
  if (kind !== undefined) return { name: `${spec.name}-${kind}`, naming: 'own' }
  return { name: said.workerName ?? spec.name, naming: said.exactName ? 'exact' : 'first' }
}

/** Somebody who names one expects that what is in others is apart. */
async function warnOfNamespace(worker: Worker, log: Logger): Promise<void> {
  const { namespace } = worker
  if (namespace === undefined) return
  const unusual = explainUnusual(namespace)
  if (unusual !== undefined) log.warn(unusual)
  if ((await askNamespaces(worker)) !== false) return
  const text = `this engine has no namespaces: what is meant for '${namespace}' is where everything else is. Use engine 0.23, or leave the namespace out`
  log.warn({ namespace }, text)
}

function claimUnlessLocked<T>(spec: WorkerSpec<T>, worker: Worker, settings: Settings<T>): void {
  const claim = () => settings.locked === undefined && spec.waitsItsTurn !== true && worker.claim()
  settings.onChange(claim)
  claim()
}

/** An engine of another line may do without a word what none of ours does. */
async function warnOfEngine(worker: Worker, log: Logger): Promise<void> {
  const version = await askEngineVersion(worker)
  const reason = version === undefined ? undefined : explainUnsupported(version)
  if (reason !== undefined) log.warn({ version }, `this engine ${reason}: use ${SUPPORTED_ENGINES}`)
}

/** The engine keeps settings for the workers that it starts. */
function follow<T>(
  { options, name, description }: WorkerSpec<T>,
  { workerName, configName }: CommandLine,
  parts: { worker: Worker; settings: WatchedSettings<T>; log: Logger },
): StoredSettings {
  const id = configName ?? workerName ?? name
  return followStored({
    ...parts,
    table: options as unknown as AnyOptionTable,
    id,
    name: workerName ?? name,
    description,
  })
}

type StopReason = NodeJS.Signals | 'done' | 'failure'

/** Stops once; whoever asks again by a signal does not want to wait. */
function createStop(log: Logger, close: () => Promise<void>): (reason: StopReason) => void {
  let stopping = false
  return (reason) => {
    if (stopping) {
      if (reason !== 'done' && reason !== 'failure') process.exit(128 + constants.signals[reason])
      return
    }
    stopping = true
    const code = reason === 'failure' ? 1 : 0
    log.info({ reason }, 'stopping')
    setTimeout(() => {
      log.warn(`not everything stopped within ${STOP_WITHIN_MS} ms`)
      process.exit(code)
    }, STOP_WITHIN_MS).unref()
    close().then(
      () => process.exit(code),
      (error: unknown) => {
        log.error({ reason: messageOf(error) }, 'stopping failed')
        process.exit(code)
      },
    )
  }
}
