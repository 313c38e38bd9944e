import { resolve } from 'node:path'
import type { Logger } from '../log.ts'
import { followConfigFile } from './config-file.ts'
import { combine, type Given, type OptionRules } from './given.ts'
import { createVerdict, type Lock } from './verdict.ts'

/** What an app was told, from all places together: flag over environment over file over default, key by key. */
export interface Settings<T> {
  readonly value: Readonly<T>
  /** Why nothing may be served: the file could not be used at the start. Undefined once it is mended. */
  readonly locked: Lock | undefined
  /** Tells when `value` or `locked` has changed, because the file did. Returns how to stop listening. */
  onChange(listener: () => void): () => void
}

export interface SettingsSources {
  /** From flags and environment, by the option's name. They always win. */
  fixed: ReadonlyMap<string, Given>
  /** The YAML file; undefined for none. */
  file: string | undefined
}

export interface WatchedSettings<T> extends Settings<T> {
  stop(): void
}

const WATCH_EVERY_MS = 1000

/**
 * Reads the file, if there is one, and goes on watching it without keeping the process alive. What flags and environment
 * say is not judged here: without a file, they count as they are.
 */
export function startSettings<T>(
  rules: OptionRules<T>,
  { fixed, file }: SettingsSources,
  log: Logger,
  watchEveryMs = WATCH_EVERY_MS,
): WatchedSettings<T> {
  const listeners = new Set<() => void>()
  let { value } = combine(rules, fixed)
  let locked: Lock | undefined
  let stop = () => {}
  if (file !== undefined) {
    const path = resolve(file)
    const look = createVerdict({ rules, fixed, file: path, log })
    const load = () => {
      const before = JSON.stringify([value, locked])
      const verdict = look()
      value = verdict.value ?? value
      locked = verdict.locked
      if (JSON.stringify([value, locked]) !== before) for (const listener of [...listeners]) listener()
    }
    stop = followConfigFile(path, watchEveryMs, load)
  }
  return {
    get value() {
      return value
    },
    get locked() {
      return locked
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop,
  }
}
