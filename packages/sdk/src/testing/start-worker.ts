import { registerWorker } from '../worker/register-worker.ts'
import type { RegisterWorkerOptions, Worker } from '../worker/worker.ts'
import { createRecordedLog, type RecordedLog } from './recorded-log.ts'
import { type Peer, type ScriptedEngine, type ScriptedEngineOptions, startScriptedEngine } from './scripted-engine.ts'

/** A scripted engine with one worker connected to it. */
export interface ScriptedStage extends AsyncDisposable {
  engine: ScriptedEngine
  worker: Worker
  peer: Peer
  log: RecordedLog
}

export async function startScriptedStage(
  options: RegisterWorkerOptions = {},
  engineOptions: ScriptedEngineOptions = {},
): Promise<ScriptedStage> {
  const engine = await startScriptedEngine(engineOptions)
  const log = createRecordedLog()
  const worker = registerWorker(engine.url, { name: 'tested', log, ...options })
  const peer = await engine.nextPeer()
  await worker.ready({ timeoutMs: 5_000 })
  return {
    engine,
    worker,
    peer,
    log,
    async [Symbol.asyncDispose]() {
      await worker.shutdown()
      await engine.close()
    },
  }
}

/** Calls a function of the worker as the engine does, and waits for the answer. */
export async function invoke(
  peer: Peer,
  functionId: string,
  data: unknown,
  rest: Record<string, unknown> = {},
): Promise<HandlerAnswer> {
  const invocationId = crypto.randomUUID()
  peer.send({ type: 'invokefunction', invocation_id: invocationId, function_id: functionId, data, ...rest })
  return peer.next('invocationresult', (frame) => frame['invocation_id'] === invocationId) as Promise<HandlerAnswer>
}

export interface HandlerAnswer {
  result?: unknown
  error?: { code: string; message: string }
}
