import { readFileSync } from 'node:fs'

/** A file that stands between the code of a client and the engine. It is written beside that code. */
export interface CodeRunner {
  readonly name: string
  readonly text: string
}

// A program of one file has the texts in itself, so each is read by a line of this form.

export function readNodeWorker(): CodeRunner {
  const text = readFileSync(new URL('../../spawned/node-worker.mjs', import.meta.url), 'utf8')
  return { name: 'node-worker.mjs', text }
}

export function readPythonWorker(): CodeRunner {
  const text = readFileSync(new URL('../../spawned/python-worker.py', import.meta.url), 'utf8')
  return { name: 'python-worker.py', text }
}
