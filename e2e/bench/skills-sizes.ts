import { startStack } from '../stack.ts'
import type { Arena } from './arena.ts'
import type { Subject } from './measure.ts'
import { registerSkills } from './skills-content.ts'

const COUNT = 500
const KIB = [1, 256]

/** As many short skills and long ones, on an engine each: what lists of them cost must be the same. */
export async function openSizes(arena: Arena): Promise<readonly Subject[]> {
  const pairs: Subject[][] = []
  for (const kib of KIB) {
    const { worker } = arena.use(await startStack({ workers: ['skills'] }))
    await registerSkills(worker, { count: COUNT, kib })
    const list = { function_id: 'skills::resources-list', payload: {} }
    const index = { function_id: 'skills::resources-read', payload: { uri: 'iii://skills' } }
    pairs.push([
      { name: `list of ${COUNT} × ${kib} KiB`, run: () => worker.trigger(list) },
      { name: `index of ${COUNT} × ${kib} KiB`, run: () => worker.trigger(index) },
    ])
  }
  return [0, 1].flatMap((which) => pairs.flatMap((pair) => pair[which] ?? []))
}
