import { resolve } from 'node:path'
import type { Logger } from '../log.ts'
import { followConfigFile } from '../options/config-file.ts'
import { findLine, type Given, type OptionRules } from '../options/given.ts'
import { type ConfigLock, type ConfigState, createConfigLock } from './config-lock.ts'
import { layOver } from './layers.ts'

/** What an app was told, from all places together: flag over store over environment over file over default, key by key. */
export interface Settings<T> {
  readonly value: Readonly<T>
  /** Why nothing may be served: the file could not be used at the start. Undefined once it is mended. */
  readonly locked: ConfigLock | undefined
  /** Absolute path of the configuration file that was named; undefined for none. */
  readonly file?: string | undefined
  /** Where a part of the file stands, counted from 1: `servers.github.env`. Undefined for what is not from the file. */
  lineOf?(place: string): number | undefined
  /** Tells when `value` or `locked` has changed, because the file or the store did. Returns how to stop listening. */
  onChange(listener: () => void): () => void
}

export interface SettingsSources {
  /** From flags and environment, by the option's name. They always win. */
  fixed: ReadonlyMap<string, Given>
  /** The YAML file; undefined for none. */
  file: string | undefined
}

export interface WatchedSettings<T> extends Settings<T> {
  /** Where what counts was set, by the option's name; without the defaults. */
  readonly given: ReadonlyMap<string, Given>
  /** Lays what the engine stores for this worker over what the file says, as far as the options allow it. */
  store(stored: ReadonlyMap<string, Given>): void
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
  const path = file === undefined ? undefined : resolve(file)
  const listeners = new Set<() => void>()
  let own = fixed
  let stored: ReadonlyMap<string, Given> = new Map()
  const { value, given, ...first } = layOver(rules, own, stored)
  let { remarks } = first
  // Plain properties: they are read for every request.
  const settings: { -readonly [Key in keyof WatchedSettings<T>]: WatchedSettings<T>[Key] } = {
    value,
    given,
    locked: undefined,
    file: path,
    lineOf: (place) => findLine(settings.given, place),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    store(values) {
      stored = values
      update({ locked: settings.locked })
    },
    stop: () => {},
  }

  function update(state: ConfigState): void {
    const before = JSON.stringify([settings.value, settings.locked])
    own = state.given ?? own
    const layers = layOver(rules, own, stored)
    for (const remark of layers.remarks) if (!remarks.includes(remark)) log.warn(`stored settings: ${remark}`)
    remarks = layers.remarks
    settings.value = layers.value
    settings.given = layers.given
    settings.locked = state.locked
    if (JSON.stringify([settings.value, settings.locked]) !== before) for (const listener of [...listeners]) listener()
  }

  if (path !== undefined) {
    const look = createConfigLock({ rules, fixed, file: path, log })
    settings.stop = followConfigFile(path, watchEveryMs, () => update(look()))
  }
  return settings
}
