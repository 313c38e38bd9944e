import { type RawReply, sendHttp } from '../http-request.ts'
import { parseCurlCommand } from './command-line.ts'
import { runPipeline } from './pipeline.ts'

/** Does what a curl line says, against `origin` in place of the one in its URL. `shown` is what stands on the screen. */
export async function runCurl(line: string, origin: string): Promise<RawReply & { shown: string }> {
  const { url, body, pipeline, ...rest } = parseCurlCommand(line)
  const { pathname, search } = new URL(url)
  const reply = await sendHttp(`${origin}${pathname}${search}`, { ...rest, ...(body === undefined ? {} : { body }) })
  return { ...reply, shown: runPipeline(pipeline, reply.body) }
}
