import type { LogStore } from './log-store.ts'
import { readLogs } from './otlp-logs.ts'

/** Spans, metrics and log lines, which workers send beside frames. */
const KIND = /^(?:OTLP|MTRC|LOGS)/

/** Whether a binary message is telemetry, which its first four bytes say. */
export function isTelemetry(message: Buffer): boolean {
  return KIND.test(message.toString('latin1', 0, 4))
}

/** Keeps the log lines of a message of telemetry, or none of them when one cannot be read. Spans and metrics are thrown away. */
export function takeTelemetry(message: Buffer, store: LogStore): void {
  if (message.toString('latin1', 0, 4) !== 'LOGS') return
  for (const record of readLogs(message.subarray(4)) ?? []) store.add(record)
}
