import { expect, it } from 'vitest'
import { createLooks, type RefreshLook } from './looks.ts'

/** Until all is done that waits for no timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

it.each(Array.from({ length: 16 }, (_, at) => at))(
  'whoever asks for a glance at the end of a full look has one that is no older, %i turns after its begin',
  async (turns) => {
    let glances = 0
    let isOwnOver = false
    const look: RefreshLook = async (kind, pause) => {
      if (kind === 'glance') glances += 1
      await pause()
      isOwnOver = true
    }
    const looks = createLooks(look, { onError: () => undefined, onOver: () => undefined })
    void looks.now()
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    const least = isOwnOver ? 1 : 0
    let isThere = false
    void looks.join('glance').then(() => (isThere = true))
    await settled()
    expect([isThere, glances >= least]).toEqual([true, true])
  },
)
