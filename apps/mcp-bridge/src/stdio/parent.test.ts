import { describe, expect, it, vi } from 'vitest'
import { watchParent } from './parent.ts'

describe('the process that started this one', () => {
  it('is gone when there is another parent, which is told once', async () => {
    let parent = 7
    const gone = vi.fn()
    const stop = watchParent(gone, () => parent)
    parent = 1
    await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce(), 5_000)
    stop()
  })
})
