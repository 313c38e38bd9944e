import type { JsonText } from '../json/json-text.ts'

/** An error as it travels in an `invocationresult`. */
export interface WireError {
  readonly code: string
  readonly message: string
  readonly stacktrace?: string | undefined
}

/** What a caller asks for besides a plain call. */
export type CallAction = { readonly type: 'void' } | { readonly type: 'enqueue'; readonly queue: string }

/** A frame from a worker that the engine understands. JSON values are canonical texts. */
export type Frame =
  | { readonly type: 'ping' }
  | { readonly type: 'pong' }
  | { readonly type: 'registerservice' }
  | { readonly type: 'unregisterfunction'; readonly id: string }
  | { readonly type: 'reattach'; readonly previousWorkerId: string; readonly token: string | undefined }
  | RegisterFunctionFrame
  | RegisterTriggerTypeFrame
  | RegisterTriggerFrame
  | { readonly type: 'unregistertrigger'; readonly id: string; readonly triggerType: string | undefined }
  | {
      readonly type: 'triggerregistrationresult'
      readonly id: string
      readonly triggerType: string
      readonly functionId: string
      readonly error: WireError | undefined
    }
  | InvokeFrame
  | ResultFrame

export interface RegisterFunctionFrame {
  readonly type: 'registerfunction'
  readonly id: string
  readonly description: string | undefined
  readonly requestSchema: JsonText | undefined
  readonly responseSchema: JsonText | undefined
  readonly metadata: JsonText | undefined
  /** Whether the function is to be called over HTTP by the engine. */
  readonly remote: boolean
}

export interface RegisterTriggerTypeFrame {
  readonly type: 'registertriggertype'
  readonly id: string
  readonly description: string
  readonly triggerSchema: JsonText | undefined
  readonly callSchema: JsonText | undefined
  /** Where the type is offered; that of the connection when it is absent. */
  readonly namespace: string | undefined
}

export interface RegisterTriggerFrame {
  readonly type: 'registertrigger'
  readonly id: string
  readonly triggerType: string
  readonly functionId: string
  readonly config: JsonText
  readonly metadata: JsonText | undefined
  /** Where the function is looked for. */
  readonly namespace: string | undefined
  /** Where the type is looked for. */
  readonly typeNamespace: string | undefined
}

export interface InvokeFrame {
  readonly type: 'invokefunction'
  readonly invocationId: string | undefined
  readonly functionId: string
  readonly data: JsonText
  readonly traceparent: string | undefined
  readonly baggage: string | undefined
  readonly action: CallAction | undefined
  readonly metadata: JsonText | undefined
  readonly namespace: string | undefined
}

export interface ResultFrame {
  readonly type: 'invocationresult'
  readonly invocationId: string
  readonly result: JsonText | undefined
  readonly error: WireError | undefined
}
