import { describe, expect, it, vi } from 'vitest'
import { createPipe, type PipedMessage, type Sink } from './pipe.ts'

const item = (text: string): PipedMessage => ({ data: Buffer.from(text), binary: true })

function slowSink() {
  const taken: string[] = []
  let release: (delivered: boolean) => void = () => {}
  const sink: Sink = {
    send({ data }, done) {
      taken.push(data.toString())
      release = done
    },
    end: vi.fn(),
  }
  return { sink, taken, release: (delivered = true) => release(delivered) }
}

describe('createPipe', () => {
  it('keeps what comes before the sink, in order, and ends after it', () => {
    const pipe = createPipe(2)
    pipe.write(item('a'))
    pipe.write(item('b'))
    pipe.end()
    const { sink, taken, release } = slowSink()
    pipe.setSink(sink)
    expect(taken).toEqual(['a'])
    release()
    expect(sink.end).not.toHaveBeenCalled()
    release()
    expect(taken).toEqual(['a', 'b'])
    expect(sink.end).toHaveBeenCalledOnce()
  })

  it('pauses the source when it is full and lets it go on when there is room', () => {
    const pipe = createPipe(2)
    const source = { pause: vi.fn(), resume: vi.fn(), cut: vi.fn() }
    const { sink, release } = slowSink()
    pipe.setSource(source)
    pipe.setSink(sink)
    for (const text of ['a', 'b']) pipe.write(item(text))
    expect(source.pause).not.toHaveBeenCalled()
    pipe.write(item('c'))
    expect(source.pause).toHaveBeenCalledOnce()
    release()
    expect(source.resume).toHaveBeenCalledOnce()
  })

  it('notices a lost sink at the next write only', () => {
    const pipe = createPipe(2)
    const source = { pause: vi.fn(), resume: vi.fn(), cut: vi.fn() }
    pipe.setSource(source)
    pipe.abandon()
    expect(source.cut).not.toHaveBeenCalled()
    pipe.write(item('a'))
    expect(source.cut).toHaveBeenCalledOnce()
  })

  it('cuts the source when the sink fails', () => {
    const pipe = createPipe(2)
    const source = { pause: vi.fn(), resume: vi.fn(), cut: vi.fn() }
    const { sink, release } = slowSink()
    pipe.setSource(source)
    pipe.setSink(sink)
    pipe.write(item('a'))
    release(false)
    expect(source.cut).toHaveBeenCalledOnce()
  })
})
