import { Fault } from '@iii/protocol'
import { toKind } from '../suggestions/mistyped.ts'
import type { Channel, ChannelRef } from '../wire/channel.ts'
import type { Worker } from './worker.ts'

/** Makes a channel between two workers, and opens both of its ends. */
export async function openChannel(
  worker: Pick<Worker, 'trigger' | 'openChannelReader' | 'openChannelWriter'>,
  bufferSize: number | undefined,
): Promise<Channel> {
  if (bufferSize !== undefined && !isBufferSize(bufferSize)) {
    const given = typeof bufferSize === 'number' ? bufferSize : toKind(bufferSize)
    throw new Fault(
      'invalid_input',
      `createChannel takes how many items the engine keeps, from 1 to 1024, not ${given}`,
    )
  }
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

function isBufferSize(given: unknown): boolean {
  return Number.isInteger(given) && Number(given) >= 1 && Number(given) <= 1024
}
