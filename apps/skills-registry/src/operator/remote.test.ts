import { Fault, type SkillFile } from '@iii/protocol'
import { expect, it } from 'vitest'
import { createRemote } from './remote.ts'

const lost = new Fault('not_found', 'file 0.bin: this worker has sent nothing ahead with the SHA-256 0; send it again')

/** A registry that has lost what was sent ahead so many times. */
function createForgetful(times: number) {
  const calls: string[] = []
  const remote = createRemote(async ({ id, response }) => {
    if (id === 'skills::files') throw new Fault('not_found', 'Skill not found: film')
    calls.push(id)
    if (id === 'skills::register' && times-- > 0) throw lost
    return response.parse(id === 'skills::register' ? { id: 'film', registered_at: '' } : { staged: 1 })
  })
  return { remote, calls }
}

it('what goes ahead goes again, once, where the registry has lost it before the registration', async () => {
  const files = Array.from({ length: 3 }, (_, at): SkillFile => ({ path: `${at}.txt`, text: 'x'.repeat(3_000_000) }))
  const once = createForgetful(1)
  await once.remote.register('film', '# Film', files)
  const whole = ['skills::mcp-stage', 'skills::mcp-stage', 'skills::mcp-stage', 'skills::register']
  expect(once.calls).toEqual([...whole, ...whole])
  const always = createForgetful(9)
  await expect(always.remote.register('film', '# Film', files)).rejects.toBe(lost)
  expect(always.calls).toEqual([...whole, ...whole])
})
