import { z } from 'zod'
import type { Question } from './question.ts'

/** A folder or file that the client works in (MCP `Root`). */
export interface Root {
  readonly uri: string
  readonly name?: string | undefined
}

/** MCP `ListRootsResult`. */
const Roots = z.object({ roots: z.array(z.object({ uri: z.string(), name: z.string().optional() })) })

export const ROOTS_QUESTION: Question<Root[]> = {
  kind: 'roots',
  method: 'roots/list',
  params: {},
  label: 'which folders the client works in',
  capability: 'roots',
  isDeclared: ({ roots }) => typeof roots === 'object' && roots !== null,
  repeat: () => ({}),
  async read(answer) {
    const listed = Roots.safeParse(answer)
    if (!listed.success) return { problem: 'it is no list of roots' }
    return { answer: { action: 'accept', content: listed.data.roots, asked: true } }
  },
}
