import { Fault } from '@iii/protocol'
import { toKind } from '../suggestions/mistyped.ts'
import type { Channel, ChannelRef, ChannelWriter } from '../wire/channel.ts'
import type { Worker } from './worker.ts'

/** Makes a channel between two workers. An end is opened when it is used here: the engine has one writer of a channel, who may be somebody else. */
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
    writer: openLater(() => worker.openChannelWriter(writer)),
    reader: worker.openChannelReader(reader),
    writerRef: writer,
    readerRef: reader,
  }
}

/** @param open is called with the first use */
function openLater(open: () => ChannelWriter): ChannelWriter {
  let opened: ChannelWriter | undefined
  const writer = () => {
    opened ??= open()
    return opened
  }
  return {
    write: (bytes) => writer().write(bytes),
    sendMessage: (message) => writer().sendMessage(message),
    close: (withinMs) => writer().close(withinMs),
    terminate: () => writer().terminate(),
    get isOpen() {
      return opened?.isOpen ?? true
    },
    get opened() {
      return writer().opened
    },
    get closed() {
      return writer().closed
    },
  }
}

function isBufferSize(given: unknown): boolean {
  return Number.isInteger(given) && Number(given) >= 1 && Number(given) <= 1024
}
