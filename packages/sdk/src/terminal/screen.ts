import { createPaint, type Paint } from './paint.ts'
import { toShownJson, toShownText } from './shown.ts'

/** Where a command writes: the streams of a process, or a test's. */
export interface Stream {
  write(chunk: string | Uint8Array): unknown
  isTTY?: boolean | undefined
  columns?: number | undefined
}

export interface Streams {
  stdout: Stream
  stderr: Stream
}

/** Tells how far long work has come. */
export interface Progress {
  /** One more is done. */
  step(): void
  end(): void
}

/** What people and scripts see of a command: results on stdout, everything else on stderr. */
export interface Screen {
  /** Columns of the terminal that results go to; undefined when they go elsewhere, or the terminal does not say. */
  readonly columns: number | undefined
  /** Whether results are read by eyes, and not by a program. */
  readonly isTerminal: boolean
  /** Colour for results, where eyes read them. */
  readonly paint: Paint
  print(chunk: string | Uint8Array): void
  /** Text of strangers: byte for byte for a program, and for eyes so that the terminal shows it and does nothing else. */
  printText(text: string): void
  printJson(value: unknown): void
  /** A line about the work, on stderr. */
  tell(text: string): void
  /** A line on a terminal, while something takes long, with how long it has taken. @param toText asked again each time */
  wait(toText: () => string): { end(): void }
  /** @param what is done: `importing`. On a terminal a line that changes, else a line for every tenth of much work. */
  progress(what: string, total: number): Progress
}

const REDRAW_EVERY_MS = 100
/** Work on fewer is done before a log is worth a line. */
const MANY = 1000
const CLEAR_LINE = '\r\u001b[K'

export function createScreen(
  { stdout, stderr }: Streams,
  env: Readonly<Record<string, string | undefined>> = {},
): Screen {
  const isTerminal = stdout.isTTY === true
  const isWatched = stderr.isTTY === true
  let drawn = ''

  function draw(text: string): void {
    stderr.write(`${CLEAR_LINE}${text}`)
    drawn = text
  }

  /** Takes the line of the progress away while something else is written. */
  function aside(write: () => void): void {
    const kept = drawn
    if (kept !== '') draw('')
    write()
    if (kept !== '') draw(kept)
  }

  const print = (chunk: string | Uint8Array) => aside(() => stdout.write(chunk))

  return {
    columns: (isTerminal && stdout.columns) || undefined,
    isTerminal,
    paint: createPaint(stdout, env),
    print,
    printText: (text) => print(isTerminal ? toShownText(text) : text),
    printJson: (value) => print(`${toShownJson(JSON.stringify(value, null, 2))}\n`),
    tell: (text) => aside(() => stderr.write(`${toShownText(text)}\n`)),
    wait(toText) {
      const startedAt = performance.now()
      const redraw = () => draw(`${toText()} (${Math.floor((performance.now() - startedAt) / 1000)} s)`)
      // What is over at once is worth no line.
      const timer = isWatched ? setInterval(redraw, REDRAW_EVERY_MS).unref() : undefined
      return {
        end() {
          clearInterval(timer)
          if (drawn !== '') draw('')
        },
      }
    },
    progress(what, total) {
      let done = 0
      let drawnAt = 0
      const text = () => `${what} ${done}/${total} (${Math.floor((100 * done) / total)} %)`
      const stepOnTerminal = () => {
        const now = performance.now()
        if (now - drawnAt < REDRAW_EVERY_MS && done < total) return
        drawnAt = now
        draw(text())
      }
      const stepInLog = () => {
        const isTenth = Math.floor((10 * done) / total) > Math.floor((10 * (done - 1)) / total)
        if (total >= MANY && isTenth) stderr.write(`${text()}\n`)
      }
      return {
        step() {
          done += 1
          if (isWatched) stepOnTerminal()
          else stepInLog()
        },
        end: () => {
          if (drawn !== '') draw('')
        },
      }
    },
  }
}
