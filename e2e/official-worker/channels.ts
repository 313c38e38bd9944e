import type { IIIClient } from 'iii-sdk'
import type { ChannelReader } from 'iii-sdk/channel'
import { createChannel } from 'iii-sdk/helpers'

/** Two ends of a channel: `pour` opens one, hands the reading end to a function, and fills it; `drain` is such a function. */
export function offerChannels(iii: IIIClient): void {
  iii.registerFunction('demo::pour', async ({ into, text, times }: { into: string; text: string; times: number }) => {
    const { writer, readerRef } = await createChannel(iii)
    const drained = iii.trigger({ function_id: into, payload: { reader: readerRef } })
    writer.sendMessage('begin')
    for (let time = 0; time < times; time++) writer.stream.write(text)
    writer.stream.end()
    return await drained
  })

  iii.registerFunction('demo::drain', async ({ reader }: { reader: ChannelReader }) => {
    const messages: string[] = []
    reader.onMessage((message) => messages.push(message))
    const bytes = await reader.readAll()
    return { messages, bytes: bytes.length, end: bytes.toString('utf8').slice(-12) }
  })
}
