import { gzipSync } from 'node:zlib'

/** A file of an archive. */
export interface ArchivedFile {
  /** Relative, with `/`. */
  readonly path: string
  readonly text: string | Buffer
  readonly executable?: boolean
}

const BLOCK = 512
const GZIP_OS_BYTE = 9
const OS_UNKNOWN = 255

/**
 * A `.tar.gz` of plain files that is the same bytes for the same entries: in their order, without times, owners and the
 * name of the system that packed it.
 */
export function packTarGz(entries: readonly ArchivedFile[]): Buffer {
  const blocks = entries.flatMap(({ path, text, executable }) => {
    const content = Buffer.from(text)
    return [formatHeader(path, content.length, executable ? 0o755 : 0o644), content, padding(content.length)]
  })
  const zipped = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 })
  zipped[GZIP_OS_BYTE] = OS_UNKNOWN
  return zipped
}

function padding(length: number): Buffer {
  return Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK)
}

function formatHeader(path: string, size: number, mode: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`'${path}' is too long for the header of a tar file`)
  const header = Buffer.alloc(BLOCK)
  const writeOctal = (value: number, at: number, width: number) =>
    header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at)
  header.write(path, 0)
  writeOctal(mode, 100, 8)
  writeOctal(0, 108, 8)
  writeOctal(0, 116, 8)
  writeOctal(size, 124, 12)
  writeOctal(0, 136, 12)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
