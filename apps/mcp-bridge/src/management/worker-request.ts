import { isCanonicalId, type JsonObject } from '@iii/protocol'
import { invalidParams } from '../mcp/rpc.ts'
import { type Language, parseLanguage } from './source-files.ts'
import { readText } from './tool-table.ts'

/** A worker that a client wants to have. */
export interface WorkerRequest {
  readonly language: Language
  readonly code: string
  readonly functionId: string
  readonly description: string
}

/** Largest source, in bytes. */
const MAX_CODE_BYTES = 256 * 1024
const MAX_ID_LENGTH = 256
const MAX_DESCRIPTION_LENGTH = 4_096

/**
 * @returns a text for the client where something is wrong with the values
 * @throws RpcError where they are not what the schema asks for
 */
export function readWorkerRequest(input: JsonObject): WorkerRequest | string {
  const [asked, code, functionId] = ['language', 'code', 'function_name'].map((name) => readField(input, name))
  const language = parseLanguage(asked ?? '')
  if (language === undefined) return `Unsupported language: ${asked?.slice(0, 64)} (node and python are there)`
  const description = input['description'] ?? 'Auto-generated function'
  if (typeof description !== 'string' || description.length > MAX_DESCRIPTION_LENGTH) {
    throw invalidParams(`description must be a text of at most ${MAX_DESCRIPTION_LENGTH} characters`)
  }
  if (code === undefined || Buffer.byteLength(code) > MAX_CODE_BYTES) {
    return `The code is too large: at most ${MAX_CODE_BYTES} bytes are taken`
  }
  if (functionId === undefined || functionId.length > MAX_ID_LENGTH || !isCanonicalId(functionId)) {
    return `'${functionId?.slice(0, 64)}' cannot be the id of a function: write letters, digits, - and _, in parts that :: separates, for example math::add`
  }
  return { language, code: code.toWellFormed(), functionId, description: description.toWellFormed() }
}

function readField(input: JsonObject, name: string): string {
  const value = readText(input, name)
  if (value === undefined) throw invalidParams(`missing field \`${name}\``)
  return value
}
