import type { Given } from '../options/given.ts'
import type { AnyOptionTable } from '../options/option-table.ts'
import type { WatchedSettings } from './settings.ts'
import { type StoredEntry, type StoreRefusal, toStoreRefusal } from './stored-entry.ts'
import { toSeed } from './stored-form.ts'
import { readStored, type StoredValue } from './stored-reading.ts'
import type { StoredReport } from './stored-report.ts'

/** Looks at what is stored, and lets it count. */
export interface StoredLook {
  /** @returns why the store cannot be had; undefined when it can. Never rejects. */
  now(): Promise<StoreRefusal | undefined>
  /** There is another connection, and the engine may be another one too. */
  forget(): void
  /** There is no entry, and none is made while a malformed file locks: nobody knows what it will say. */
  readonly waitsForFile: boolean
}

export interface StoredLookOptions {
  entry: StoredEntry
  settings: WatchedSettings<unknown>
  table: AnyOptionTable
  report: StoredReport
  /** Runs before the entry is registered, so that no change from then on is missed. */
  onDeclare(): void
}

export function createStoredLook({ entry, settings, table, report, onDeclare }: StoredLookOptions): StoredLook {
  let isDeclared = false
  let waitsForFile = false
  let good: ReadonlyMap<string, Given> = new Map()

  function apply({ value, isRaw }: StoredValue): void {
    const reading = readStored({ value, isRaw }, table)
    if (reading === undefined) {
      report.unreadable()
      return
    }
    const kept = [...reading.problems.keys()].flatMap((name) => {
      const last = good.get(name)
      return last === undefined ? [] : [[name, last] as const]
    })
    good = new Map([...reading.values, ...kept])
    report.read(reading)
    settings.store(good)
  }

  async function look(): Promise<void> {
    const found = await entry.read()
    if (found !== undefined) apply(found)
    else if (isDeclared) report.gone()
    waitsForFile = found === undefined && settings.locked !== undefined
    if (isDeclared || waitsForFile) return
    onDeclare()
    await entry.declare(found === undefined ? toSeed(table, settings.given) : undefined)
    isDeclared = true
    const now = await entry.read()
    if (now !== undefined) apply(now)
  }

  return {
    async now() {
      try {
        await look()
        return undefined
      } catch (error) {
        const refusal = toStoreRefusal(error)
        report.refused(refusal.message)
        return refusal
      }
    },
    forget() {
      isDeclared = false
    },
    get waitsForFile() {
      return waitsForFile
    },
  }
}
