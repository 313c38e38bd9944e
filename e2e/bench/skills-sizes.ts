import type { Worker } from '@iii/sdk'
import { startStack } from '../stack.ts'
import type { Arena } from './arena.ts'
import type { BenchSubject } from './measure.ts'
import { registerSkills, type SkillsSize } from './skills-content.ts'

const CASES: readonly SkillsSize[] = [
  { count: 500, kib: 1 },
  { count: 500, kib: 256 },
  { count: 1000, kib: 1 },
  { count: 1000, kib: 1, files: 20 },
]

/** As many short skills and long ones, and with files and without, on an engine each: what lists of them cost must be the same. */
export async function openSizes(arena: Arena): Promise<readonly BenchSubject[]> {
  const subjects: BenchSubject[][] = []
  for (const size of CASES) {
    const { count, kib, files } = size
    const what = `${count} × ${kib} KiB${files === undefined ? '' : ` with ${files} files`}`
    const { worker } = arena.use(await startStack({ workers: ['skills'] }))
    await registerSkills(worker, size)
    const list = { function_id: 'skills::resources-list', payload: {} }
    const index = { function_id: 'skills::resources-read', payload: { uri: 'iii://skills' } }
    subjects.push([
      { name: `list of ${what}`, run: () => worker.trigger(list) },
      { name: `index of ${what}`, run: () => worker.trigger(index) },
      { name: `skills/list of ${what}`, run: () => readPages(worker) },
    ])
  }
  return [0, 1, 2].flatMap((which) => subjects.flatMap((of) => of[which] ?? []))
}

/** All pages of the skills with the digests of their files. */
async function readPages(worker: Worker): Promise<void> {
  let after: string | undefined
  do {
    const request = { function_id: 'skills::mcp-list', payload: { after } }
    after = (await worker.trigger<{ after?: string }>(request)).after
  } while (after !== undefined)
}
