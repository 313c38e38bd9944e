import type { OptionTable } from '@iii/sdk'
import { z } from 'zod'
import { AUDIT_MODES, type AuditMode } from '../mcp/call-log.ts'
import { OPTIONAL_ATTRIBUTES, type OptionalAttribute } from './request-span.ts'

/** What the operator of a bridge can set about telemetry and audit. */
export interface TelemetryOptions {
  /** Whether traces and metrics are sent. @default undefined: where a variable of OpenTelemetry names a collector */
  readonly telemetry: 'off' | 'otlp' | undefined
  /** What spans tell beside what they always do. @default [] */
  readonly telemetryAttributes: readonly OptionalAttribute[]
  /** What the log has of what clients do. @default 'calls' */
  readonly audit: AuditMode
}

export const TELEMETRY_OPTIONS: OptionTable<TelemetryOptions> = {
  // Never stored: it says where what clients do is told.
  telemetry: {
    flag: '--telemetry',
    yaml: 'telemetry',
    schema: z.enum(['off', 'otlp']).optional(),
    default: undefined,
    describe: 'Send traces and metrics (off, otlp); unset, where OTEL_EXPORTER_OTLP_ENDPOINT names a collector.',
    placeholder: 'MODE',
  },
  telemetryAttributes: {
    flag: '--telemetry-attributes',
    yaml: 'telemetry_attributes',
    schema: z.array(z.enum(OPTIONAL_ATTRIBUTES)),
    default: [],
    describe: `What spans tell beside what they always do: ${OPTIONAL_ATTRIBUTES.join(', ')}.`,
  },
  audit: {
    flag: '--audit',
    yaml: 'audit',
    schema: z.enum(AUDIT_MODES),
    default: 'calls',
    describe: `What the log has of what clients do: ${AUDIT_MODES.join(', ')}.`,
    placeholder: 'MODE',
  },
}
