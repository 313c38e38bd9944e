import { readdirSync, readFileSync } from 'node:fs'

/** One recorded scenario of the engine, as a list of steps. */
export interface RecordedTrace {
  readonly name: string
  readonly about: string
  readonly engine: string
  readonly variant: 'default' | 'short' | 'rbac' | 'grace' | 'hooks' | 'throwaway'
  readonly tags: readonly string[]
  /** Bus connections that are open before the first step. */
  readonly connections: readonly string[]
  /** Placeholders that stand for values, with the kind of value. */
  readonly placeholders: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

/** Something to do or to expect; which of the fields is there says what. */
export interface Step {
  /** The connection it is about. */
  readonly conn?: string
  /** The HTTP exchange it is about. */
  readonly of?: string
  readonly withinMs?: number
  readonly waitMs?: number
  readonly unordered?: readonly Step[]

  readonly connect?: ConnectStep
  readonly expectStatus?: number
  readonly send?: unknown
  readonly sendText?: string
  readonly sendBinary?: unknown
  readonly sync?: true
  readonly close?: true
  readonly terminate?: true
  readonly expect?: unknown
  readonly expectRaw?: string
  readonly expectText?: string
  readonly expectBinary?: string
  readonly expectClose?: number
  readonly expectNothingForMs?: number

  readonly http?: HttpStep
  readonly write?: string
  readonly abort?: true
  readonly expectHttp?: ResponsePattern
  readonly expectHead?: ResponsePattern
  readonly expectChunk?: string
  readonly expectEnd?: 'clean' | 'cut'
}

export interface ConnectStep {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly listener?: 'ws2'
  readonly greet?: boolean
}

export interface HttpStep {
  readonly id?: string
  readonly method: string
  readonly path: string
  readonly headers?: readonly (readonly [string, string])[] | Readonly<Record<string, string>>
  readonly host?: false
  readonly body?: string
}

export interface ResponsePattern {
  readonly status?: number
  readonly headers?: Readonly<Record<string, unknown>>
  readonly json?: unknown
  readonly body?: unknown
  readonly end?: 'clean' | 'cut'
  readonly notBeforeMs?: number
}

/** Reads every trace of a folder. */
export function loadTraces(folder: URL): RecordedTrace[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as RecordedTrace)
}
