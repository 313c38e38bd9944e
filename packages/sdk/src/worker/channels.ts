import type { Channel, ChannelRef } from '../wire/channel.ts'
import type { Worker } from './worker.ts'

/** Makes a channel between two workers, and opens both of its ends. */
export async function openChannel(
  worker: Pick<Worker, 'trigger' | 'openChannelReader' | 'openChannelWriter'>,
  bufferSize: number | undefined,
): Promise<Channel> {
  const payload = bufferSize === undefined ? {} : { buffer_size: bufferSize }
  const { writer, reader } = await worker.trigger<{ writer: ChannelRef; reader: ChannelRef }>({
    function_id: 'engine::channels::create',
    payload,
  })
  return {
    writer: worker.openChannelWriter(writer),
    reader: worker.openChannelReader(reader),
    writerRef: writer,
    readerRef: reader,
  }
}
