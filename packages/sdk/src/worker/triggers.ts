import { randomUUID } from 'node:crypto'
import { Fault } from '@iii/protocol'
import type { Logger } from '../log.ts'
import { formatFrame, type IncomingFrame } from '../wire/frames.ts'
import { INSTANCE_KEY, type Registration } from './function.ts'
import { checkTriggerConfig, findParamConflict } from './trigger-config.ts'

/** A wish that the engine calls a function when something happens. */
export interface TriggerInput {
  /** `http`, `cron`, `state`, … or a type that some worker provides; one that nobody provides yet is waited for. */
  type: string
  function_id: string
  /** @default {} */
  config?: unknown
  /** Handed to the function with every call. */
  metadata?: Record<string, unknown> | undefined
  /** Told when the provider of the type refuses the binding. */
  onError?: ((error: { code: string; message: string }) => void) | undefined
}

/** The triggers this worker wants, which the engine must learn again on each connection. */
export interface TriggerTable {
  register(input: TriggerInput): Registration
  onResult(frame: Extract<IncomingFrame, { type: 'triggerregistrationresult' }>): void
  frames(): Iterable<string>
}

interface RegisteredTrigger {
  frame: string
  /** Of an http trigger. */
  path: string | undefined
  onError: TriggerInput['onError']
}

/** @param send hands a frame to the engine when there is one; the table is replayed anyway when there is none. */
export function createTriggerTable(instance: string, log: Logger, send: (text: string) => void): TriggerTable {
  const triggers = new Map<string, RegisteredTrigger>()

  function checkPath(path: string): void {
    const earlier = [...triggers.values()].flatMap((trigger) => trigger.path ?? [])
    const other = findParamConflict(path, earlier)
    if (other === undefined) return
    throw new Fault('conflict', `api_path '${path}' and '${other}' name the same parameter differently; use one name`)
  }

  return {
    register({ type, function_id: functionId, config = {}, metadata, onError }) {
      checkTriggerConfig(type, config)
      if (functionId === '') throw new Fault('invalid_input', 'A trigger needs the function_id that it calls')
      const path = type === 'http' ? (config as { api_path: string }).api_path : undefined
      if (path !== undefined) checkPath(path)
      const id = randomUUID()
      const frame = formatFrame({
        type: 'registertrigger',
        id,
        trigger_type: type,
        function_id: functionId,
        config,
        metadata: { ...metadata, [INSTANCE_KEY]: instance },
      })
      triggers.set(id, { frame, path, onError })
      send(frame)
      return {
        id,
        unregister() {
          if (!triggers.delete(id)) return
          send(formatFrame({ type: 'unregistertrigger', id, trigger_type: type }))
        },
        refresh() {
          if (triggers.has(id)) send(frame)
        },
      }
    },
    onResult({ id, trigger_type: type, function_id: functionId, error }) {
      const trigger = triggers.get(id)
      if (trigger === undefined || !error) return
      const { code, message } = error
      log.error({ trigger_type: type, function_id: functionId, code }, `trigger registration failed: ${message}`)
      trigger.onError?.({ code, message })
    },
    *frames() {
      for (const { frame } of triggers.values()) yield frame
    },
  }
}
