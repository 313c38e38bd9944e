import type { IncomingMessage } from 'node:http'
import type { Pipe } from '../channels/pipe.ts'

/** Reads a whole body; one that breaks off never resolves, since nobody waits for it then. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => resolve(Buffer.concat(pieces)))
  })
}

/** Sends a body to its channel piece by piece; a slow reader slows the client down. */
export function pipeBody(request: IncomingMessage, pipe: Pipe): void {
  pipe.setSource({
    pause: () => request.pause(),
    resume: () => request.resume(),
    cut: () => request.resume(),
  })
  request.on('data', (piece: Buffer) => pipe.write({ data: piece, binary: true }))
  request.on('close', () => pipe.end())
}
