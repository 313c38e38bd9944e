import type { Worker } from '@iii/sdk'

/** So many skills of such a length. */
export interface SkillsSize {
  count: number
  kib: number
  /** How many files each has beside its text. */
  files?: number
}

const AT_ONCE = 16

export async function registerSkills(worker: Worker, { count, kib, files = 0 }: SkillsSize): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      const at = next++
      const payload = { id: toSizedSkillId(at), skill: toBody(at, kib), files: toFiles(at, files) }
      await worker.trigger({ function_id: 'skills::register', payload })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

export async function registerPrompt(worker: Worker): Promise<void> {
  worker.registerFunction('bench::prompt', () => 'Do it.')
  await worker.ready()
  const payload = { name: 'bench', description: 'Bench', arguments: [], function_id: 'bench::prompt' }
  await worker.trigger({ function_id: 'prompts::register', payload })
}

export function toSizedSkillId(at: number): string {
  return `group-${at % 50}/skill-${at}`
}

export function toBody(at: number, kib: number): string {
  const head = `# Skill ${at}\n\nUse this when number ${at} is asked for, and not otherwise.\n\n`
  return head + 'Some more words of advice. '.repeat(Math.ceil((kib * 1024) / 27)).slice(0, kib * 1024 - head.length)
}

function toFiles(at: number, count: number): object[] {
  return Array.from({ length: count }, (_, file) => ({ path: `references/note-${file}.md`, text: `${at} ${file}\n` }))
}
