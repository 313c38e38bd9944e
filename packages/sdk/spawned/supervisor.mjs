/**
 * Stands between a process (the owner) and a program that it runs, and leads the process group that the program is in. It is handed to Node
 * as text, for there may be no file of it.
 *
 * Descriptor 3 is what it has in common with the owner. It reads one line from it, what to run, and writes two: the number of the program,
 * and how that ended. When the owner's end closes, however the owner ended, the whole group ends. Of everything else it leaves its hands:
 * standard input, output and error are the program's alone, which also gets no variable that was not named.
 */
import { spawn } from 'node:child_process'
import { accessSync, closeSync, constants, openSync, rmSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import process from 'node:process'

const PATIENCE_MS = 1500
const NOT_FOUND = ['ENOENT', 'ENOTDIR']
const NOT_EXECUTABLE = ['EACCES', 'EINVAL', 'EISDIR', 'ENOEXEC', 'EPERM', 'UNKNOWN']

process.title = 'iii-supervisor'
const isWindows = process.platform === 'win32'
let program
let removes
let isAlone = false
let isLeaving = false

// These reach the whole group; this process waits for the program. Without a listener, SIGUSR1 would let debuggers in.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2']) {
  try {
    process.on(signal, () => undefined)
  } catch {
    // Not known on this platform.
  }
}

const owner = new Socket({ fd: 3, readable: true, writable: true })
let text = ''
owner.setEncoding('utf8')
owner.on('data', (chunk) => {
  text += chunk
  if (program === undefined && text.endsWith('\n')) run(JSON.parse(text))
})
owner.on('error', () => undefined)
owner.on('end', endAll)
owner.on('close', endAll)

function run({ command, args, cwd, env, ...job }) {
  removes = job.removes
  try {
    program = spawn(command, args, { cwd, env, stdio: 'inherit', windowsHide: true })
  } catch (error) {
    return leave(explain(error, command, cwd))
  }
  program.on('error', (error) => {
    // Also when it cannot be told something.
    if (program.pid === undefined) leave(explain(error, command, cwd))
  })
  program.on('exit', (code, signal) => leave(signal === null ? { kind: 'exit', code } : { kind: 'signal', signal }))
  if (!isWindows && program.pid !== undefined) owner.write(`${JSON.stringify({ program: program.pid })}\n`)
  letGo()
}

/** Whoever is at the other ends sees when the program closes its own. */
function letGo() {
  if (isWindows) return
  for (const descriptor of [0, 1, 2]) {
    closeSync(descriptor)
    // The lowest number that is free.
    openSync('/dev/null', 'r+')
  }
}

function explain({ code }, command, cwd) {
  const because = (reason, text) => ({ kind: 'not_started', reason, message: text })
  try {
    if (!statSync(cwd).isDirectory()) return because('cwd_missing', `${cwd} is no folder`)
    accessSync(cwd, constants.X_OK)
  } catch (error) {
    const text = error.code === 'ENOENT' ? `there is no folder ${cwd}` : `the folder ${cwd} cannot be entered`
    return because('cwd_missing', `${text} (${error.code})`)
  }
  if (NOT_FOUND.includes(code))
    return because('not_found', `there is no program ${command}, or not what its first line names`)
  if (NOT_EXECUTABLE.includes(code))
    return because('not_executable', `${command} is no program that may be run (${code})`)
  return because('other', `${command} was not started (${code})`)
}

function endAll() {
  if (isAlone) return
  isAlone = true
  if (program?.pid === undefined) return leave()
  tellGroup('SIGTERM')
  setTimeout(() => program.kill('SIGKILL'), PATIENCE_MS)
}

function leave(ending) {
  if (isLeaving) return
  isLeaving = true
  try {
    if (removes !== undefined) rmSync(removes, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // What the program has made of it must not keep anybody alive.
  }
  if (isAlone) return endGroup()
  owner.on('close', endGroup)
  owner.end(`${JSON.stringify(ending)}\n`, endGroup)
}

/** Whatever else the program has started ends too, and this process with it. */
function endGroup() {
  if (!isWindows) tellGroup('SIGKILL')
  process.exit(0)
}

function tellGroup(signal) {
  if (isWindows) return void program?.kill(signal)
  try {
    // Some programs, as `timeout` does, lead a group of their own.
    if (program?.pid !== undefined) process.kill(-program.pid, signal)
  } catch {
    // Most do not.
  }
  process.kill(-process.pid, signal)
}
