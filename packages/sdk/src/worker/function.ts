import { Fault, INSTANCE_KEY, type McpMetadata, toResultData } from '@iii/protocol'
import { z } from 'zod'
import type { Call, Handler } from '../engine/call.ts'
import { formatIssues } from '../schema/issue-text.ts'
import {
  type AnySchema,
  type JsonSchema,
  type OutputOf,
  toJsonSchema,
  type UnknownKeys,
  type ZodSchema,
} from '../schema/json-schema.ts'
import { requireSchema, requireSendable } from '../schema/required-schema.ts'
import { createValidator } from '../schema/validator.ts'
import { type NamesOf, refuseMistyped } from '../suggestions/mistyped.ts'
import { formatFrame } from '../wire/frames.ts'
import { type Outgoing, toMessageText } from '../wire/outgoing.ts'
import { toMetadata } from './facts.ts'
import { FOREIGN_NAMES } from './foreign-names.ts'
import { requireHandler, requireKinds } from './option-kinds.ts'
import { toRemarks } from './remarks.ts'

/** What is known about a function beside its id and handler. */
export interface FunctionOptions<Request extends AnySchema = JsonSchema, Response extends AnySchema = AnySchema> {
  description?: string | undefined
  /** zod 4 or zod 3: registered as JSON Schema, payloads are validated and typed. A JSON Schema: registered only. */
  request_format?: Request | undefined
  /**
   * What becomes of keys that a zod `request_format` does not have, at any depth: the call is refused with their names, or they are dropped. An
   * object that takes any, `z.looseObject`, has none.
   *
   * @default 'refuse'
   */
  unknownKeys?: UnknownKeys | undefined
  /** Registered as the schema of the result. One that breaks it goes out all the same, and a warning says so once. */
  response_format?: Response | undefined
  /** What clients of the bridge are told of it: title, hints and their like. In the metadata it is found as `mcp.title` and so on. */
  mcp?: McpMetadata | undefined
  /** Shown to everybody who lists functions. */
  metadata?: Record<string, unknown> | undefined
  /** A call whose message is larger is not read at all. @default no limit below the worker's `maxMessageBytes` */
  maxBytes?: number | undefined
  /** Makes the result of a call over `maxBytes`. @default throws a Fault `too_large` */
  onTooLarge?: ((info: { bytes: number; limit: number }) => unknown) | undefined
  /** Runs before a payload is looked at; what it throws is the answer. */
  guard?: (() => void | Promise<void>) | undefined
  /**
   * Any process that has it may answer it: another one that registers it is no second copy of this worker. When nobody has it any more, it
   * is registered again. @default false
   */
  shared?: boolean | undefined
}

/** The payload type a handler gets: its `request_format` says it, or the handler itself where that is no zod type. */
export type PayloadOf<Request, Payload> = Request extends ZodSchema ? OutputOf<Request> : Payload

/** The result type a handler owes, given its `response_format`. */
export type ResultOf<Response> = Response extends ZodSchema ? OutputOf<Response> : unknown

/** Something that was registered and can be taken back. */
export interface Registration {
  readonly id: string
  /** Takes it back; does nothing the second time. */
  unregister(): void
  /** Says it to the engine once more, for an id that another worker took over and left. */
  refresh(): void
}

/** A function that was registered. */
export interface FunctionRegistration extends Registration {
  /**
   * Puts another one in its place, under the same id: what is left out of the options is gone. It is never missing in between, and calls that
   * run are finished by the handler that they began with. The engine tells nobody: `announceChange(worker, { kind: 'tools' })` does.
   * While another worker has the id, the change is kept until it is this worker's again.
   *
   * @throws Fault `not_found` when it was taken back, `invalid_input` for what cannot be sent; then it stays what it is. InvocationError
   * `closed` when its worker was shut down.
   */
  replace<Payload, Request extends AnySchema = JsonSchema, Response extends AnySchema = JsonSchema>(
    handler: Handler<PayloadOf<Request, Payload>, ResultOf<Response>>,
    options?: FunctionOptions<Request, Response>,
  ): void
}

/** A function as it lies in the table: its registration as a ready frame, and how to run it. */
export interface RegisteredFunction {
  id: string
  frame: string
  limit: number
  isShared: boolean
  /** Validates and handles; may throw, may return a promise. */
  run(payload: unknown, metadata: unknown, call: Call): unknown
  tooLarge(bytes: number): unknown
  /** What its author may want to know of it. */
  remarks: readonly string[]
  /** What breaks the schema of its results, of those that are looked at, once. */
  readonly checkResult: ResultCheck | undefined
}

const OPTIONS: NamesOf<FunctionOptions> = {
  description: true,
  request_format: true,
  unknownKeys: true,
  response_format: true,
  mcp: true,
  metadata: true,
  maxBytes: true,
  onTooLarge: true,
  guard: true,
  shared: true,
}

/** @throws Fault `invalid_input` when description, schema or metadata cannot be sent, and for what is no function or an option that is mistyped or of the wrong kind. */
export function createFunction(
  id: string,
  handler: Handler<never>,
  options: FunctionOptions<AnySchema>,
  instance: string,
): RegisteredFunction {
  requireHandler(id, handler)
  requireKinds(id, options)
  refuseMistyped(`The function '${id}'`, options, OPTIONS, FOREIGN_NAMES)
  const unknownKeys = options.unknownKeys ?? 'refuse'
  const request = options.request_format ?? undefined
  const response = options.response_format ?? undefined
  requireSchema(`The request_format of the function '${id}'`, request)
  requireSchema(`The response_format of the function '${id}'`, response)
  requireSendable(`The request_format of the function '${id}'`, request)
  const asked = request && toJsonSchema(request, 'input', unknownKeys)
  const promised = response && toJsonSchema(response, 'output')
  const metadata = toMetadata(options.metadata, options.mcp ?? undefined)
  const limit = options.maxBytes ?? Number.POSITIVE_INFINITY
  const validate = createValidator(request, unknownKeys)
  const handle = handler as Handler
  const checkAndHandle: Handler = (payload, metadata, call) => {
    const valid = validate === undefined ? payload : validate(payload)
    if (valid instanceof Promise) return valid.then((value: unknown) => handle(value, metadata, call))
    return handle(valid, metadata, call)
  }
  return {
    id,
    frame: formatFrame({
      type: 'registerfunction',
      id,
      description: options.description ?? '',
      request_format: asked,
      response_format: promised,
      metadata: { ...metadata, [INSTANCE_KEY]: instance },
    }),
    limit,
    isShared: options.shared === true,
    remarks: toRemarks({ id, schema: asked, metadata, instance }),
    checkResult: promised && createResultCheck(promised),
    run(payload, metadata, call) {
      const allowed = options.guard?.()
      return allowed instanceof Promise
        ? allowed.then(() => checkAndHandle(payload, metadata, call))
        : checkAndHandle(payload, metadata, call)
    },
    tooLarge(bytes) {
      if (options.onTooLarge) return options.onTooLarge({ bytes, limit })
      throw new Fault('too_large', `The message for ${id} has ${bytes} bytes; it takes at most ${limit}`)
    },
  }
}

/** Looks at a result in the message that takes it to its caller. Answers what breaks its schema, once. */
export type ResultCheck = (message: Outgoing) => string | undefined

/** Results that come faster are not looked at: it is for authors, and no call pays for it. */
const PACE_MS = 100
const MAX_CHARACTERS = 64 * 1024

/** @param schema as it was registered, which is what clients hold a result against. */
export function createResultCheck(schema: JsonSchema, now: () => number = () => performance.now()): ResultCheck {
  let type: z.ZodType | undefined
  let isDone = false
  let nextAt = Number.NEGATIVE_INFINITY

  return (message) => {
    if (isDone || message.length > MAX_CHARACTERS || now() < nextAt) return undefined
    nextAt = now() + PACE_MS
    const { result = null } = JSON.parse(toMessageText(message)) as { result?: unknown }
    const owed = toResultData(result)
    if (owed === undefined) return undefined
    type ??= toType(schema)
    const { error } = type.safeParse(owed.data)
    if (error === undefined) return undefined
    isDone = true
    return formatIssues(error.issues, 'result')
  }
}

/** Anything will do for a schema that zod does not know. */
function toType(schema: JsonSchema): z.ZodType {
  try {
    return z.fromJSONSchema(withoutFormats(schema))
  } catch {
    return z.unknown()
  }
}

/** A format informs; what zod makes of it is stricter than what others do. */
function withoutFormats(schema: JsonSchema): Parameters<typeof z.fromJSONSchema>[0] {
  const text = JSON.stringify(schema, (key, value) =>
    key === 'format' && typeof value === 'string' ? undefined : value,
  )
  return JSON.parse(text)
}
